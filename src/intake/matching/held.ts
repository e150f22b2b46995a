import { OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { isoTime, utcDayStart } from "../../kernel/time.ts";
import { IntakeIndex } from "../../ledger/matching/intake-index.ts";
import type { HeldForReview } from "../../ledger/rows/desk-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { LineFault } from "../lines/fault.ts";
import { intakeHashes, readSighting } from "../lines/sighting.ts";
import type { Classifier } from "./classify.ts";
import { Settler } from "./settle.ts";

/** What becomes of lines that intake held for a reviewer. Within a transaction of the writer. */

export interface AdmitParts {
  readonly ledger: LedgerWriter;
  readonly classifier: Classifier;
  readonly random: RandomBytes;
}

/** Takes a held line in as if its name said more. Returns the row of its observation. Throws OperatorError. */
export function admitHeld(held: HeldForReview, { ledger, classifier, random }: AdmitParts): number {
  const index = new IntakeIndex(ledger.index);
  const hashes = intakeHashes(ledger.purposeKey);
  const synthetic = index.synthetic() ?? ledger.meta.environment === "demo";
  const settler = new Settler({ ledger, classifier, synthetic, dryRun: false, random }, index, hashes);
  try {
    const sighting = readSighting(1, JSON.parse(held.input), hashes, ledger.now());
    const row = settler.admit(sighting, isoTime(utcDayStart(ledger.now())), { records: 0, assets: 0 });
    index.setSynthetic(synthetic);
    return row;
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new OperatorError(`the held line cannot be taken in any more: ${error.message}`, { cause: error });
  }
}

export function dismissHeld(held: HeldForReview, ledger: LedgerWriter): void {
  new IntakeIndex(ledger.index).release(Buffer.from(held.key, "hex"), null);
}
