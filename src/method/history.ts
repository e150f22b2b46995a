import { type AsOf, dateOfDay, endOfDay } from "./as-of.ts";
import { PARAMETERS } from "./parameters.ts";
import { RecordTrack } from "./record-track.ts";
import { rankCohort } from "./standing/cohort.ts";
import type { RecordFacts } from "./types.ts";

/** One week of a record's score. `pps` is full precision: publish with `publishedNumber`. */
export interface HistoryPoint {
  readonly date: string; // Sunday at the end of the ISO week, in solar time
  readonly pps: number;
  readonly observation_count_30d: number; // accepted observations in the 30 days up to that Sunday
}

/**
 * Computes the scores of a city's records at the last 26 finished ISO weeks, oldest first, for records and weeks with a pps.
 * Each point uses sightings and corroboration up to the end of that Sunday. Reviews, flags and industries are today's,
 * because a corrected error was already an error before.
 */
export function cityHistories(records: readonly RecordFacts[], asOf: AsOf): Map<number, HistoryPoint[]> {
  const tracks = records
    .filter(({ industry, flagged }) => industry.authoritative && !flagged)
    .map((record) => new RecordTrack(record))
    .filter((track) => track.canPass);
  const histories = new Map<number, HistoryPoint[]>();
  for (const sunday of weekEnds(asOf)) addWeek(histories, tracks, endOfDay(sunday, asOf));
  return histories;
}

/** Solar day numbers of the last 26 finished Sundays at `asOf`, oldest first. */
export function weekEnds(asOf: AsOf): number[] {
  const yesterday = asOf.day - 1;
  const lastSunday = yesterday - ((((yesterday + FROM_SUNDAY) % 7) + 7) % 7);
  const { weeks } = PARAMETERS.history;
  return Array.from({ length: weeks }, (_, index) => lastSunday - 7 * (weeks - 1 - index));
}

const FROM_SUNDAY = 4; // 1970-01-01, day 0, was a Thursday

function addWeek(histories: Map<number, HistoryPoint[]>, tracks: readonly RecordTrack[], week: AsOf): void {
  const entries = tracks.flatMap((track) => {
    track.advance(week);
    const raw = track.eligibleScore(week);
    return raw === undefined ? [] : [{ id: track.record.id, raw, track }];
  });
  const cohort = rankCohort(entries);
  for (const { id, track } of entries) {
    const pps = cohort?.results.get(id)?.pps;
    if (pps === undefined) return; // no cohort this week
    const point = { date: dateOfDay(week.day), pps, observation_count_30d: track.recentObservations(week) };
    const history = histories.get(id);
    if (history) history.push(point);
    else histories.set(id, [point]);
  }
}
