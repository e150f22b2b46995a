import { OperatorError } from "../kernel/errors.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import type { Batch, Batches, BatchLeft } from "../ledger/matching/batches.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { IngestSummary } from "./ingest.ts";

/** `empty`: no line came in. `taken_in`: every accepted line has a row, waits for a reviewer, or is deleted. */
export const BATCH_STATES = ["pending", "held_back", "approved", "taken_in", "undone", "empty"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function batchState({ decision, accepted, looks }: Batch, { waiting }: BatchLeft): BatchState {
  if (decision === "undone" || decision === "held_back") return decision;
  if (waiting > 0) return decision === "approved" ? "approved" : "pending";
  return accepted + looks === 0 ? "empty" : "taken_in";
}

const NAME = /^b\d{1,15}$/;

export function isBatchName(text: string): boolean {
  return NAME.test(text);
}

/** Throws OperatorError for a name that no batch has. */
export function knownBatch(batches: Batches, name: string): Batch {
  const batch = isBatchName(name) ? batches.find(name) : undefined;
  if (batch !== undefined) return batch;
  throw new OperatorError(`no batch ${name}: see \`presence batch list\``);
}

/**
 * The lines of batches go with the next seal, whatever their bounds: those of one that was held back dated today, those that no night
 * has judged yet as lines of the day on which they came. All of the batches or none. Throws OperatorError for one with nothing to approve.
 */
export function approve(ledger: LedgerWriter, names: readonly string[]): void {
  const { batches } = ledger;
  const chosen = names.map((name) => knownBatch(batches, name));
  for (const batch of chosen) assertApprovable(batch, batches.left(batch.name));
  const now = ledger.now();
  ledger.transaction(() => {
    for (const { name } of chosen) {
      batches.letGo(name, now);
      batches.decide(name, "approved", now);
      batches.noteDeliveries(name);
    }
  });
}

function assertApprovable(batch: Batch, left: BatchLeft): void {
  const state = batchState(batch, left);
  if (state === "held_back" || (batch.decision === null && state === "pending")) return;
  const problem = state === "pending" ? "is within its bounds, and goes with the next seal" : `is ${state}`;
  throw new OperatorError(`batch ${batch.name} ${problem}: nothing to approve`);
}

/** How long it is kept which rows came in which batch. */
export const BATCH_DAYS = 400;

/** Forgets which rows came together, and all else of batches, when nobody is to undo them any more. */
export function forgetOldBatches(ledger: Pick<LedgerWriter, "batches" | "now" | "transaction">): void {
  const before = utcDayStart(ledger.now()) - BATCH_DAYS * DAY_MS;
  ledger.transaction(() => ledger.batches.forgetBefore(before));
}

/** Whether a file brought what a file should bring. Pure. */

export interface OutcomeBounds {
  /** Largest share of the lines that may be rejected. */
  readonly maxRejected: number;
  /** Largest share of the lines that may be known where some are new. */
  readonly maxKnown: number;
}

export const OUTCOME_BOUNDS: OutcomeBounds = { maxRejected: 0.5, maxKnown: 0.9 };

/**
 * What is wrong with what came of a file, as a sentence without its name; undefined when nothing is. A file that was ingested before
 * is as it should be, and so is one that takes the rest of a run that was cut off. Lines that an opt-out refuses are no fault of it.
 */
export function shortfall(
  { read, accepted, looks, known, rejected, rejectedByReason, batch, isContinued }: IngestSummary,
  { maxRejected, maxKnown }: OutcomeBounds,
): string | undefined {
  if (read === 0) return "the file is empty";
  const came = accepted + looks;
  const kept = came === 0 || batch === null ? "" : `; what was accepted waits as batch ${batch}`;
  const { opted_out: optedOut = 0 } = rejectedByReason;
  const faulty = rejected - optedOut;
  if (came + known === 0 && faulty > 0)
    return `nothing came in: ${read === 1 ? "its one line was" : `all ${plain(read)} lines were`} rejected`;
  if (faulty > maxRejected * read)
    return `${plain(faulty)} of ${plain(read)} lines were rejected, more than --max-rejected ${maxRejected} allows${kept}`;
  if (came > 0 && known > maxKnown * read && !isContinued)
    return `${plain(known)} of ${plain(read)} lines were already known, more than --max-known ${maxKnown} allows for a file with new lines${kept}`;
  return undefined;
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}
