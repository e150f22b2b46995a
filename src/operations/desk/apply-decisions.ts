/** Turns the decisions of the review desk into rows, as the command line would: with a role and a reason, checked against what the ledger says now. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type DeskDecision,
  type DeskRole,
  decisionFile,
  type ReadDecisions,
  readDecisions,
  removeFiles,
} from "../../desk/crossing.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { deskPaths } from "../../kernel/home.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import { LockHeld } from "../../ledger/database/lock.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { Desk } from "../../review/desk.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { openCurrentWriter } from "../take-in.ts";
import { writeDeskView } from "./desk-view.ts";
import { takeDeskDecision } from "./take-decision.ts";

export interface Applied {
  readonly decided: number;
  readonly already: number;
  readonly waits: number;
  readonly refused: number;
  /** Files that are no decisions. */
  readonly discarded: number;
}

export interface ApplyOptions {
  readonly clock?: string | undefined; // as `--clock`
  /** How long to wait for another command that writes to the ledger, in ms. */
  readonly waitMs?: number;
  /** For tests: called between the steps. */
  readonly after?: (step: "written" | "shown" | "removed") => void;
}

const BATCH = 200;
const KEPT_MS = 30 * DAY_MS;
const WAIT_MS = 1800 * SECOND_MS;
const TRY_MS = 2 * SECOND_MS;
const MAX_MESSAGE = 500;

/**
 * Until the folder is empty. Each decision and the note that it was taken are one transaction; the file goes last, so a kill at any moment loses none, and
 * none is taken twice.
 */
export async function applyDeskDecisions(
  context: CommandContext,
  options: ApplyOptions = {},
): Promise<Applied> {
  const { decisions: folder } = deskPaths(homeOf(context));
  const applied = { decided: 0, already: 0, waits: 0, refused: 0, discarded: 0 };
  for (;;) {
    const read = readDecisions(folder, BATCH);
    if (read.decisions.length > 0) await applyBatch(context, read, options, applied);
    removeFiles(folder, [...read.decisions.map(decisionFile), ...read.refused]);
    options.after?.("removed");
    applied.discarded += read.refused.length;
    if (read.decisions.length < BATCH) return applied;
  }
}

async function applyBatch(
  context: CommandContext,
  { decisions }: ReadDecisions,
  { clock, waitMs = WAIT_MS, after = () => undefined }: ApplyOptions,
  applied: { -readonly [Name in keyof Applied]: Applied[Name] },
): Promise<void> {
  const messages = new Map<string, string>();
  {
    using ledger = await patientWriter(context, clock, waitMs);
    ledger.deskDecisions.forget(ledger.now() - KEPT_MS);
    const desks = new Desks(ledger);
    for (const decision of decisions) {
      const outcome = takeOnce(desks, decision, messages);
      if (outcome !== undefined) applied[outcome] += 1;
    }
  }
  after("written");
  await writeDeskView(context, { clock, messages });
  after("shown");
}

/** The night writes for minutes; whoever decided meanwhile waits. Throws OperatorError when it lasts for longer. */
async function patientWriter(
  context: CommandContext,
  clock: string | undefined,
  waitMs: number,
): Promise<LedgerWriter> {
  for (let waited = 0; ; waited += TRY_MS) {
    try {
      return await openCurrentWriter(context, clock);
    } catch (error) {
      if (!(error instanceof LockHeld) || waited >= waitMs) throw error;
      await sleep(TRY_MS);
    }
  }
}

/** What became of it; undefined when it was taken before. A refusal is noted, too: the reviewer decides anew. */
function takeOnce(
  desks: Desks,
  decision: DeskDecision,
  messages: Map<string, string>,
): keyof Omit<Applied, "discarded"> | undefined {
  const { id } = decision;
  const { ledger } = desks;
  if (ledger.deskDecisions.isKnown(id, ledger.now())) return undefined;
  try {
    return ledger.transaction(() => {
      const { done, row } = takeDeskDecision(decision, {
        ...{ desk: desks.current(), ledger, role: ROLES[decision.by], now: ledger.now() },
      });
      ledger.deskDecisions.note({ id, outcome: done, row }, ledger.now());
      return done;
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    desks.drop();
    messages.set(id, error.message.slice(0, MAX_MESSAGE));
    ledger.transaction(() => ledger.deskDecisions.note({ id, outcome: "refused", row: null }, ledger.now()));
    return "refused";
  }
}

/** Reads the ledger through for the first decision, and again after one that was refused, which may have left a desk of no use. */
class Desks {
  readonly ledger: LedgerWriter;
  #desk: Desk | undefined;

  constructor(ledger: LedgerWriter) {
    this.ledger = ledger;
  }

  current(): Desk {
    this.#desk ??= new Desk(this.ledger);
    return this.#desk;
  }

  drop(): void {
    this.#desk = undefined;
  }
}

/** What rows say of who decided: roles, as everywhere, and never people. */
const ROLES: Readonly<Record<DeskRole, string>> = { reviewer: "review-desk", lead: "review-lead" };
