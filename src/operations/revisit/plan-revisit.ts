import { REVISIT_VERSION } from "../../contract/versions.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { RevisitPlan } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { asOfAt, dateOfDay } from "../../method/numbers.ts";
import { PARAMETERS } from "../../method/parameters.ts";
import { drawRevisit, type RevisitSizes } from "../../method/revisit/draw-revisit.ts";
import { isOpen } from "../../snapshot/fold/revisits.ts";
import { newestFrame, revisitedCity, revisitedLedger } from "./city-revisits.ts";
import { planName, taskLines, tasksOf } from "./tasks.ts";

export interface PlannedRevisit {
  readonly row: number;
  readonly plan: RevisitPlan;
  readonly name: string;
  readonly lines: readonly string[]; // of the task file
  readonly visitUntil: string; // the last day of visits
}

/**
 * Draws what to revisit in a city by the newest seal, and appends the plan. `writeTasks` gets the lines of the task file before
 * the row stands, so that no plan is without its file. Throws OperatorError where there is nothing to draw, or while a plan is open.
 */
export function planRevisit(
  ledger: LedgerWriter,
  reader: LedgerReader,
  slug: string,
  sizes: RevisitSizes,
  writeTasks: (lines: readonly string[], name: string) => void,
): PlannedRevisit {
  const fold = revisitedLedger(reader);
  const { city, plans } = revisitedCity(fold, slug);
  const { seal, frame } = newestFrame(fold, city);
  const { day } = asOfAt(Date.parse(seal.created_at), city.details.lng);
  const last = plans.at(-1);
  if (last?.body.manifest_sha256 === seal.manifest_sha256)
    throw new OperatorError(
      `city ${slug}: this seal has drawn a plan already, in row ${last.row}: seal again first`,
    );
  if (last !== undefined && isOpen(last, ledger.nextId(), day))
    throw new OperatorError(
      `city ${slug}: the plan in row ${last.row} waits for its result until ${lastVisit(last.day)}: take it first. A plan that could be drawn again would let its maker choose`,
    );
  const plan: RevisitPlan = {
    step: "plan",
    city: slug,
    manifest_sha256: seal.manifest_sha256,
    ...drawn(drawRevisit(frame, seal.manifest_sha256, sizes)),
    methodology_version: REVISIT_VERSION,
  };
  const lines = taskLines(plan, tasksOf(ledger, plan));
  const row = ledger.transaction(() => {
    const { id } = ledger.append({ kind: "revisit", body: plan });
    writeTasks(lines, planName(plan));
    return id;
  });
  return { row, plan, name: planName(plan), lines, visitUntil: lastVisit(day) };
}

/** The last day on which a plan whose seal is of `day` may be visited. */
export function lastVisit(day: number): string {
  return dateOfDay(day + PARAMETERS.revisit.visitDays);
}

function drawn({ assets, cells }: ReturnType<typeof drawRevisit>) {
  return { assets: [...assets], cells: [...cells] };
}
