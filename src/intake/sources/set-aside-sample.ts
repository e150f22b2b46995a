import { isoDate } from "../../kernel/time.ts";
import { BATCH_UNDONE } from "../../ledger/rows/rows.ts";
import type { SetAsideObservation } from "../../ledger/sources/stored-observations.ts";
import { isLasting } from "./lasting.ts";

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
