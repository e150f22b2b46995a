import type { Classifier } from "../../intake/matching/classify.ts";
import { ListedSigns } from "../../intake/matching/listed-signs.ts";
import { latestDate } from "../../intake/places/civil-date.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { RevisitResult } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { dateOfDay } from "../../method/numbers.ts";
import type { Measurement } from "../../method/revisit/measurement.ts";
import type { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { revisitFrame } from "../../snapshot/fold/revisit-frame.ts";
import { type CountedPlan, countedPlans, measurementOf } from "../../snapshot/fold/revisits.ts";
import { lineError, matchVisits, readVisits, type Visit } from "./match-visits.ts";
import { lastVisit, planName, type RevisitTasks, revisitedLedger, tasksOf } from "./plan-revisit.ts";

/** What a file of results says, before it is appended. */
export interface ReadRevisit {
  readonly plan: CountedPlan;
  readonly name: string;
  readonly result: RevisitResult;
  readonly measurement: Measurement;
  readonly tasks: number;
  readonly answered: number;
  readonly leftOut: number; // signs that count for nothing: generic names, and records that opted out
  /** Stands for the plan and the result: what is confirmed is what was shown. */
  readonly code: string;
}

/** Reads and matches a file of results. Changes nothing. Throws OperatorError naming the line that is wrong. */
export function readRevisit(
  ledger: LedgerWriter,
  reader: LedgerReader,
  { text, file }: { readonly text: string; readonly file: string },
  loadClassifier: () => Classifier, // called once the file is sound
): ReadRevisit {
  const fold = revisitedLedger(reader);
  const visits = readVisits(text, file);
  const plan = planOf(fold, visits, file);
  const { slug, details } = cityOf(fold, plan);
  const tasks = tasksOf(ledger, plan.body);
  const today = latestDate(ledger.now(), details);
  for (const visit of visits) assertOfPlan(visit, plan, { tasks, today, file });
  const { assets, cells, leftOut } = matchVisits(visits, tasks, {
    file,
    signs: new ListedSigns(ledger, slug, loadClassifier()),
    listed: new Set(revisitFrame(fold, { slug, details }, plan.seal).assets),
  });
  const days = visits.map(({ visited_on }) => visited_on).sort();
  const result: RevisitResult = {
    step: "result",
    city: slug,
    manifest_sha256: plan.body.manifest_sha256,
    assets,
    cells,
    visited_from: days[0] ?? "",
    visited_until: days.at(-1) ?? "",
  };
  return {
    plan,
    name: planName(plan.body),
    result,
    measurement: measurementOf(fold, plan.body, result),
    tasks: tasks.size,
    answered: visits.length,
    leftOut,
    code: confirmationCode([plan.row, result]),
  };
}

/** Appends a result that was confirmed by its code. Returns its row. */
export function takeRevisit(ledger: LedgerWriter, { result }: ReadRevisit): number {
  return ledger.transaction(() => ledger.append({ kind: "revisit", body: result }).id);
}

function planOf(fold: LedgerFold, visits: readonly Visit[], file: string): CountedPlan {
  const [first] = visits;
  const name = first?.plan ?? "";
  const other = visits.find((visit) => visit.plan !== name);
  if (other !== undefined)
    throw lineError(
      file,
      other.line,
      "it is of another plan than the lines before it: one file has one plan",
    );
  const plans = [...fold.cities.values()].flatMap((city) => countedPlans(fold, city));
  const plan = plans.find(({ body }) => planName(body) === name);
  if (plan === undefined) throw lineError(file, first?.line ?? 1, "its plan is no plan of this ledger");
  if (plan.result !== undefined)
    throw new OperatorError(`${file}: this plan has its result already, in row ${plan.result.row}`);
  return plan;
}

function cityOf({ cities }: LedgerFold, { body }: CountedPlan) {
  const city = cities.get(body.city);
  if (city === undefined) throw new OperatorError(`city ${body.city}: there is no such city`);
  return city;
}

interface PlanContext {
  readonly tasks: RevisitTasks;
  readonly today: string; // the latest date of the city's calendars
  readonly file: string;
}

function assertOfPlan(
  { line, task, h3_cell, visited_on }: Visit,
  { day }: CountedPlan,
  { tasks, today, file }: PlanContext,
): void {
  const planned = tasks.get(task);
  if (planned === undefined)
    throw lineError(file, line, "its task is no task of the plan; one whose asset was erased since is none");
  if (h3_cell !== undefined && h3_cell !== planned.cell)
    throw lineError(file, line, "its h3_cell is not that of the task");
  if (visited_on < dateOfDay(day) || visited_on > lastVisit(day))
    throw lineError(
      file,
      line,
      `visited_on must be from ${dateOfDay(day)}, the day of the seal, to ${lastVisit(day)} (got ${visited_on})`,
    );
  if (visited_on > today) throw lineError(file, line, "visited_on is in the future");
}
