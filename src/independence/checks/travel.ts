import { HOUR_MS } from "../../kernel/time.ts";
import { FLIGHT_MS, INDEPENDENCE } from "../parameters.ts";
import { type EnteringTrace, metersBetween } from "../trace.ts";

const { slackMeters, roadSpeed, flightSpeed, lookback } = INDEPENDENCE.travel;
const METERS_PER_KM = 1000;
const HALF_EARTH_METERS = 20_020_000;

function travelMs(meters: number, speed: number): number {
  return (meters / (speed * METERS_PER_KM)) * HOUR_MS;
}

/** In this time an observer can be anywhere on Earth. */
export const ANYWHERE_MS = FLIGHT_MS + travelMs(HALF_EARTH_METERS, flightSpeed);

export type Sighting = Pick<EnteringTrace, "row" | "instant" | "lat" | "lng">;

/** Whether one observer can have made both sightings: by road, or by a flight with its time on the ground. */
export function canTravel(a: Sighting, b: Sighting): boolean {
  const elapsed = Math.abs(a.instant - b.instant);
  if (elapsed >= ANYWHERE_MS) return true;
  const meters = metersBetween(a, b) - slackMeters;
  if (meters <= 0) return true;
  return elapsed >= Math.min(travelMs(meters, roadSpeed), FLIGHT_MS + travelMs(meters, flightSpeed));
}

/** The best chain of possible travel that ends with a sighting: the longest, of equal ones that of the lowest rows. */
interface Chain {
  readonly sighting: Sighting;
  readonly before: Chain | undefined;
  readonly length: number;
  readonly rows: number;
}

function isBetter(a: Chain, b: Chain | undefined): boolean {
  if (b === undefined) return true;
  return a.length > b.length || (a.length === b.length && a.rows < b.rows);
}

function extend(before: Chain | undefined, sighting: Sighting): Chain {
  return {
    sighting,
    before,
    length: (before?.length ?? 0) + 1,
    rows: (before?.rows ?? 0) + sighting.row,
  };
}

/** Grows the chains of one observer, sighting by sighting in the order of time. */
class Chains {
  readonly #chains: Chain[] = [];
  #best: Chain | undefined;
  #old: Chain | undefined; // the best of those that are old enough to come from anywhere
  #oldCount = 0;

  add(sighting: Sighting): void {
    this.#age(sighting.instant);
    const canExtendBest = this.#best !== undefined && canTravel(this.#best.sighting, sighting);
    const chain = extend(canExtendBest ? this.#best : this.#bestBefore(sighting), sighting);
    this.#chains.push(chain);
    if (isBetter(chain, this.#best)) this.#best = chain;
  }

  longest(): readonly Sighting[] {
    const sightings: Sighting[] = [];
    for (let chain = this.#best; chain !== undefined; chain = chain.before) sightings.push(chain.sighting);
    return sightings.reverse();
  }

  #age(instant: number): void {
    for (
      let chain = this.#chains[this.#oldCount];
      chain !== undefined;
      chain = this.#chains[this.#oldCount]
    ) {
      if (instant - chain.sighting.instant < ANYWHERE_MS) return;
      if (isBetter(chain, this.#old)) this.#old = chain;
      this.#oldCount++;
    }
  }

  #bestBefore(sighting: Sighting): Chain | undefined {
    let best = this.#old;
    for (const chain of this.#chains.slice(-lookback).reverse()) {
      if (isBetter(chain, best) && canTravel(chain.sighting, sighting)) best = chain;
    }
    return best;
  }
}

function longestChain(sorted: readonly Sighting[]): readonly Sighting[] {
  const chains = new Chains();
  for (const sighting of sorted) chains.add(sighting);
  return chains.longest();
}

/** Sightings outside the chain that fit between their neighbors in it do not contradict it. */
function contradictions(sorted: readonly Sighting[], chain: readonly Sighting[]): readonly Sighting[] {
  const dropped: Sighting[] = [];
  let position = 0;
  let before: Sighting | undefined;
  for (const sighting of sorted) {
    const after = chain[position];
    if (sighting === after) {
      position++;
      before = sighting;
      continue;
    }
    const fits =
      (before === undefined || canTravel(before, sighting)) &&
      (after === undefined || canTravel(sighting, after));
    if (fits) before = sighting;
    else dropped.push(sighting);
  }
  return dropped;
}

export function byInstant(a: Sighting, b: Sighting): number {
  return a.instant - b.instant || a.row - b.row;
}

/**
 * Sightings of one observer that contradict the longest possible trip: a single misplaced one costs itself alone, and of a
 * device reported at two places only one place counts. Only the observer's own rows decide.
 */
export function impossibleTravel(sightings: readonly Sighting[]): readonly Sighting[] {
  const sorted = [...sightings].sort(byInstant);
  const isPossible = sorted.every((sighting, index) => {
    const before = sorted[index - 1];
    return before === undefined || canTravel(before, sighting);
  });
  return isPossible ? [] : contradictions(sorted, longestChain(sorted));
}
