/** Whether a file brought what a file should bring. Pure. */
import type { IngestSummary } from "../ingest.ts";

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
  if (read === 0) return "the file is empty: it has no line";
  const came = accepted + looks;
  const kept = came === 0 || batch === null ? "" : `; what was accepted waits as batch ${batch}`;
  const { opted_out: optedOut = 0 } = rejectedByReason;
  const faulty = rejected - optedOut;
  if (came + known === 0 && faulty > 0)
    return `nothing came in: all ${plain(read)} lines were rejected; see the rejects file`;
  if (faulty > maxRejected * read)
    return `${plain(faulty)} of ${plain(read)} lines were rejected, more than --max-rejected ${maxRejected} allows${kept}: see the rejects file`;
  if (came > 0 && known > maxKnown * read && !isContinued)
    return `${plain(known)} of ${plain(read)} lines were known already, more than --max-known ${maxKnown} allows for a file with new lines${kept}`;
  return undefined;
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}
