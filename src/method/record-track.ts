import { prefixLength } from "../kernel/prefix-length.ts";
import { type AsOf, ageInDays, dateOfDay, endOfDay, PARAMETERS } from "./numbers.ts";
import { EvidenceWindow, gateOf, independent, trustWeight } from "./standing/counting.ts";
import { LastDays, scoreOf, volumeWeight } from "./standing/score.ts";
import { rankCohort } from "./standing/standing.ts";
import { stateOf } from "./standing/verification.ts";
import type { JudgedSighting, RecordFacts } from "./types.ts";

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

/** A countable sighting with its trust before and after its corroboration day. */
type Dated = ReturnType<typeof dated>;

/**
 * One record through the weeks of a history. Sightings are judged once; then the window W moves forward in day order, so
 * each sighting enters and leaves only once.
 */
export class RecordTrack {
  readonly record: RecordFacts;
  readonly #dated: readonly Dated[];
  readonly #acceptedDays: readonly number[];
  readonly #window = new EvidenceWindow();
  #entered = 0; // sightings [left, entered) are in the window
  #left = 0;

  constructor(record: RecordFacts) {
    this.record = record;
    this.#dated = independent(record.sightings).map(dated);
    this.#acceptedDays = record.sightings
      .filter(({ verdict }) => verdict !== "rejected")
      .map(({ day }) => day)
      .sort((a, b) => a - b);
  }

  /** Returns whether any week could be eligible, as if all sightings were in one window. */
  get canPass(): boolean {
    return this.#dated.length >= PARAMETERS.gate.observations;
  }

  /** Moves to a later week. */
  advance(week: AsOf): void {
    for (let next = this.#dated[this.#entered]; next && next.day <= week.day; ) {
      this.#window.add(next.sighting);
      this.#entered += 1;
      next = this.#dated[this.#entered];
    }
    for (let first = this.#dated[this.#left]; first && this.#isOver(first, week); ) {
      this.#window.remove(first.sighting);
      this.#left += 1;
      first = this.#dated[this.#left];
    }
  }

  #isOver({ day }: Dated, week: AsOf): boolean {
    return ageInDays(day, week) >= PARAMETERS.window.days;
  }

  /** Raw score at the current week; undefined when the record is not eligible. */
  eligibleScore(week: AsOf): number | undefined {
    const { industry, flagged } = this.record;
    if (gateOf(this.#window, industry, flagged).status !== "eligible") return undefined;
    let weight = 0;
    const last = new LastDays();
    for (let index = this.#left; index < this.#entered; index += 1) {
      const entry = this.#dated[index];
      if (!entry) break;
      const trust = week.day >= entry.from ? entry.trustFrom : entry.trustBefore;
      weight += volumeWeight(entry.sighting, trust, week);
      last.add(entry.sighting);
    }
    return scoreOf(this.#window, last.recency(week), weight).raw;
  }

  /** Accepted observations in the 30 days up to the week's end. */
  recentObservations(week: AsOf): number {
    const upToWeek = countUpTo(this.#acceptedDays, week.day);
    return upToWeek - countUpTo(this.#acceptedDays, week.day - PARAMETERS.history.countDays);
  }
}

function dated(sighting: JudgedSighting) {
  return {
    sighting,
    day: sighting.day,
    from: sighting.corroboratedFrom,
    trustBefore: trustWeight(sighting.source, stateOf(sighting, false)),
    trustFrom: trustWeight(sighting.source, stateOf(sighting, true)),
  };
}

/** Number of ascending `days` up to `day`. */
function countUpTo(days: readonly number[], day: number): number {
  return prefixLength(days.length, (at) => (days[at] ?? Number.POSITIVE_INFINITY) <= day);
}
