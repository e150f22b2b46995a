/** Decisions about lines that intake held for a reviewer, within a transaction of the writer. */
import { OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { isoTime, utcDayStart } from "../../kernel/time.ts";
import type { HeldForReview } from "../../ledger/rows/desk-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { LineFault } from "../lines/fault.ts";
import { intakeHashes, readSighting } from "../lines/sighting.ts";
import type { Classifier } from "./classify.ts";
import { Settler } from "./settle.ts";

export interface AdmitDeps {
  readonly ledger: LedgerWriter;
  readonly classifier: Classifier;
  readonly random: RandomBytes;
}

/** Accepts a held line despite the reason for which it was held; an opt-out still refuses it. Returns the row of its observation. Throws OperatorError. */
export function admitHeld(held: HeldForReview, { ledger, classifier, random }: AdmitDeps): number {
  const hashes = intakeHashes(ledger.purposeKey);
  const synthetic = ledger.intake.isSynthetic() ?? ledger.meta.environment === "demo";
  const settler = new Settler({ ledger, classifier, synthetic, dryRun: false, random });
  try {
    const sighting = readSighting(1, JSON.parse(held.input), hashes, ledger.now());
    const row = settler.admit(sighting, isoTime(utcDayStart(ledger.now())), { records: 0, assets: 0 });
    ledger.intake.setSynthetic(synthetic);
    return row;
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new OperatorError(`the held line can no longer be accepted: ${error.message}`, { cause: error });
  }
}

export function dismissHeld(held: HeldForReview, ledger: LedgerWriter): void {
  ledger.intake.release(Buffer.from(held.key, "hex"), null);
}
