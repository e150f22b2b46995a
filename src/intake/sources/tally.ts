import { MINIMUMS } from "../../contract/limits.ts";
import { isoDate, utcDayStart } from "../../kernel/time.ts";
import { BATCH_UNDONE, type TallyBody } from "../../ledger/rows/rows.ts";
import type { SetAsideObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { isLasting } from "./principals.ts";

/** The public counts of what checks set aside: one row for each month. */

/**
 * Appends a row about each finished month (UTC) that has none, from the month in which the first source was registered on. They are
 * dated the last finished day. Returns the months.
 */
export function appendTallies(ledger: LedgerWriter, draw: DrawSample): string[] {
  const months = monthsToTally(ledger);
  if (months.length === 0) return [];
  const observations = ledger.deskRows.setAside();
  const sample = setAsideSample(observations, draw);
  const vouched = ledger.sources
    .vouchedObservers()
    .map(({ source, observers }) => ({ observers: published(observers), source }));
  ledger.transactionDated(utcDayStart(ledger.now()) - 1, () => {
    for (const month of months)
      ledger.append({ kind: "tally", body: { ...tallyOf(month, observations, sample), vouched } });
  });
  return months;
}

function monthsToTally(ledger: LedgerWriter): string[] {
  const [first] = ledger.sources.sources();
  if (first === undefined) return [];
  const { live } = ledger;
  const begun = live.acceptedAt(first.row) ?? ledger.now();
  const known = new Set(live.talliedMonths());
  return monthsBetween(begun, ledger.now()).filter((month) => !known.has(month));
}

/** From the month of `from` to the month before that of `until`, both in ms. */
function monthsBetween(from: number, until: number): string[] {
  const months: string[] = [];
  const last = monthOf(until);
  const start = new Date(from);
  for (let offset = 0; ; offset += 1) {
    const month = monthOf(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + offset));
    if (month >= last) return months;
    months.push(month);
  }
}

function tallyOf(
  month: string,
  observations: readonly SetAsideObservation[],
  sample: ReadonlySet<number>,
): Omit<TallyBody, "vouched"> {
  const reviewed = observations.filter(
    ({ reviewedOn }) => reviewedOn !== null && monthOf(reviewedOn) === month,
  );
  const found = observations.filter(({ day }) => monthOf(day) === month);
  const restored = reviewed.filter(isRestored);
  const checks = [...new Set([...found, ...restored].map(({ check }) => check))].sort();
  const judged = reviewed.filter(({ row }) => sample.has(row));
  return {
    checks: checks.map((check) => ({
      check,
      restored: published(countOf(restored, check)),
      set_aside: published(countOf(found, check)),
    })),
    month,
    sample: { false_alarms: judged.filter(isRestored).length, reviewed: judged.length },
  };
}

function isRestored({ review }: SetAsideObservation): boolean {
  return review === "restored";
}

function countOf(observations: readonly SetAsideObservation[], check: string): number {
  return observations.filter((each) => each.check === check).length;
}

/** Null for a count that would speak of somebody. */
function published(count: number): number | null {
  return count < MINIMUMS.people ? null : count;
}

/** Draws from rows by seeds that were unknown before the rows were sealed. */
export type DrawSample = (
  candidates: Iterable<{ readonly row: number; readonly seed: string }>,
) => readonly number[];

/** The random samples of the rows that checks set aside, one for each month: reviewers judge these, to measure false alarms. */
export function setAsideSample(
  observations: readonly Pick<SetAsideObservation, "row" | "check" | "day" | "seed">[],
  draw: DrawSample,
): ReadonlySet<number> {
  const months = new Map<string, { row: number; seed: string }[]>();
  for (const { row, check, day, seed } of observations) {
    if (seed === undefined || !isLasting(check) || check === BATCH_UNDONE) continue; // no check found it
    const candidates = months.get(monthOf(day)) ?? [];
    months.set(monthOf(day), candidates);
    candidates.push({ row, seed });
  }
  return new Set([...months.values()].flatMap((candidates) => [...draw(candidates)]));
}

/** The UTC month of a time in ms, such as 2026-11. */
export function monthOf(time: number): string {
  return isoDate(time).slice(0, "2026-11".length);
}
