import { type AsOf, ageInDays } from "./as-of.ts";
import { PARAMETERS } from "./parameters.ts";
import { EvidenceWindow, independent } from "./standing/counting.ts";
import { gateOf } from "./standing/gate.ts";
import { LastDays, scoreOf, volumeWeight } from "./standing/score.ts";
import { trustWeight } from "./standing/trust.ts";
import { stateOf } from "./standing/verification.ts";
import type { JudgedSighting, RecordFacts } from "./types.ts";

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
  let low = 0;
  let high = days.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((days[middle] ?? Number.POSITIVE_INFINITY) <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}
