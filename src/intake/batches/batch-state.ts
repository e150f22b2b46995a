import { OperatorError } from "../../kernel/errors.ts";
import type { Batch, BatchLeft, KnownBatches } from "../../ledger/matching/batches.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";

/** `empty`: no line came in. `taken_in`: every accepted line has a row, waits for a reviewer, or is deleted. */
export const BATCH_STATES = ["pending", "held_back", "approved", "taken_in", "undone", "empty"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function batchState({ decision, accepted, looks }: Batch, { waiting }: BatchLeft): BatchState {
  if (decision === "undone" || decision === "held_back") return decision;
  if (waiting > 0) return decision === "approved" ? "approved" : "pending";
  return accepted + looks === 0 ? "empty" : "taken_in";
}

const NAME = /^b\d{1,15}$/;

/** Throws OperatorError for a name that no batch has. */
export function knownBatch(batches: KnownBatches, name: string): Batch {
  const batch = NAME.test(name) ? batches.find(name) : undefined;
  if (batch !== undefined) return batch;
  throw new OperatorError(`no batch ${name}: see \`presence batch list\``);
}

/** The lines of a batch that was held back go with the next seal, dated today. Throws OperatorError for another one. */
export function approve(ledger: LedgerWriter, name: string): Batch {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision !== "held_back")
    throw new OperatorError(`batch ${name} is not held back: there is nothing to approve`);
  const now = ledger.now();
  ledger.transaction(() => {
    ledger.batches.letGo(name, now);
    ledger.batches.decide(name, "approved", now);
  });
  return batch;
}
