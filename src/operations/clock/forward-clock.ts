/**
 * The rule against a clock that runs ahead. Rows are never dated before the row above them, so one row from a wrong future would
 * close the ledger until that day.
 */
import { OperatorError } from "../../kernel/errors.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime } from "../../kernel/time.ts";

/** A time from outside this machine. */
export interface ReferenceTime {
  readonly at: number; // ms
  readonly from: string; // host
}

/** A time that the service wrote down earlier. */
export interface KnownTime {
  readonly at: number; // ms
  readonly what: string; // completes "7 days after …"
}

export interface ClockFacts {
  readonly now: number; // ms
  /** Undefined when none is configured, or none answers. */
  readonly reference: ReferenceTime | undefined;
  /** Asked only without a reference. Undefined for a ledger without rows, which no clock can be ahead of. */
  readonly newest: () => Promise<KnownTime | undefined>;
  /** `--accept-clock`. */
  readonly accepted: string | undefined;
}

const AHEAD_OF_REFERENCE_MS = HOUR_MS;
const AHEAD_OF_KNOWN_MS = 7 * DAY_MS;

/**
 * Throws OperatorError when the clock is more than an hour ahead of the reference time or, without one, more than 7 days ahead of
 * the newest known time, unless `accepted` is the clock's own UTC date. An accepted date that is another day's always fails.
 */
export async function assertClockNotAhead(facts: ClockFacts): Promise<void> {
  const { now, accepted } = facts;
  const today = isoDate(now);
  if (accepted === today) return;
  if (accepted !== undefined)
    throw new OperatorError(`--accept-clock must be the date of the clock, ${today} (got ${accepted})`);
  const problem = await lead(facts);
  if (problem === undefined) return;
  throw new OperatorError(
    `the clock says ${isoTime(now)}, which is ${problem}. Nothing was written, because rows with a wrong later date would close the ledger until then. ` +
      `Correct the clock (timedatectl); if it is right, add --accept-clock ${today}`,
  );
}

async function lead({ now, reference, newest }: ClockFacts): Promise<string | undefined> {
  if (reference !== undefined)
    return now - reference.at > AHEAD_OF_REFERENCE_MS
      ? `more than an hour ahead of ${reference.from} (${isoTime(reference.at)})`
      : undefined;
  const known = await newest();
  return known !== undefined && now - known.at > AHEAD_OF_KNOWN_MS
    ? `more than 7 days after ${known.what} (${isoTime(known.at)})`
    : undefined;
}
