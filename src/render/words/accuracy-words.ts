import type { AccuracyMeasurement, SignShare } from "../../contract/cities/accuracy.ts";
import { count, percent } from "./format.ts";

/** `84.7 % (72 of 85; 95 % interval 75.3 % to 91.6 %)`; without a value the counts and why there is none. */
export function signShareText({ value, hits, signs, confidence_interval, not_yet_known }: SignShare): string {
  const counts = `${hits} of ${signs}`;
  if (value === null || confidence_interval === null)
    return `${counts}. ${not_yet_known ?? "Not yet known."}`;
  const { low, high } = confidence_interval;
  return `${percent(value)} (${counts}; 95 % interval ${percent(low)} to ${percent(high)})`;
}

/** When it was measured, and how much of what was drawn was visited, in two sentences. */
export function measuredText(measurement: AccuracyMeasurement): string {
  const { visited_from, visited_until, age_days } = measurement;
  const days =
    visited_from === visited_until ? `on ${visited_from}` : `from ${visited_from} to ${visited_until}`;
  const visits = `${measurement.assets_visited} of ${count(measurement.assets_drawn, "drawn asset", "drawn assets")}`;
  const searched = `${measurement.cells_visited} of ${count(measurement.cells_drawn, "drawn cell", "drawn cells")}`;
  return `Measured ${days}, ${count(age_days, "day", "days")} ago. Scouts visited ${visits} and searched ${searched}.`;
}
