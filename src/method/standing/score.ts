import { type AsOf, ageInDays, round9 } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import type { JudgedSighting, Sighting } from "../types.ts";
import { countEvidence, type EvidenceCounts, isLasting } from "./counting.ts";

export type ScorePart = keyof typeof PARAMETERS.score.weights;

/** One component of the raw score: `value` 0..1, its weight, and its points out of 100. */
export interface PartScore {
  readonly value: number;
  readonly weight: number;
  readonly points: number;
}

/** The raw score 0..100, rounded to 1e-9, and its components. */
export interface RawScore {
  readonly raw: number;
  readonly parts: Readonly<Record<ScorePart, PartScore>>;
}

/** Computes the raw score `pps-2026-11.v3` from a record's countable sightings; all components are 0 without any. */
export function rawScore(countable: readonly JudgedSighting[], asOf: AsOf): RawScore {
  let weight = 0;
  const last = new LastDays();
  for (const sighting of countable) {
    weight += volumeWeight(sighting, sighting.trust, asOf);
    last.add(sighting);
  }
  return scoreOf(countEvidence(countable), last.recency(asOf), weight);
}

/** Computes the raw score from counts. `weight`: sum of `volumeWeight` over the countable sightings. */
export function scoreOf(counts: EvidenceCounts, recency: number, weight: number): RawScore {
  const { score } = PARAMETERS;
  const volume = saturation(weight, score.volumeScale);
  const breadth = saturation(lifting(counts, "cells"), score.breadthScale);
  const assets = saturation(lifting(counts, "assets"), score.assetsScale);
  const independence = saturation(lifting(counts, "observers"), score.independenceScale);
  const { weights } = score;
  const sum =
    weights.recency * recency +
    weights.volume * volume +
    weights.breadth * breadth +
    weights.assets * assets +
    weights.independence * independence;
  return {
    raw: round9(100 * sum),
    parts: {
      recency: partScore(recency, weights.recency),
      volume: partScore(volume, weights.volume),
      breadth: partScore(breadth, weights.breadth),
      assets: partScore(assets, weights.assets),
      independence: partScore(independence, weights.independence),
    },
  };
}

/** The last day of any countable sighting, and of one that shows more than a temporary sign. */
export class LastDays {
  #any = Number.NEGATIVE_INFINITY;
  #lasting = Number.NEGATIVE_INFINITY;

  add(sighting: Pick<Sighting, "day" | "assetType">): void {
    this.#any = Math.max(this.#any, sighting.day);
    if (isLasting(sighting)) this.#lasting = Math.max(this.#lasting, sighting.day);
  }

  /** Recency 0..1 at `asOf`: the larger of what the two days give. */
  recency(asOf: AsOf): number {
    const { recencyHalfLifeDays, temporaryShare } = PARAMETERS.score;
    const halved = (day: number) => 0.5 ** (ageInDays(day, asOf) / recencyHalfLifeDays);
    return Math.max(halved(this.#lasting), temporaryShare * halved(this.#any));
  }
}

/** What a sighting of that trust adds to the volume at `asOf`. */
export function volumeWeight(
  sighting: Pick<Sighting, "day" | "assetType">,
  trust: number,
  asOf: AsOf,
): number {
  const share = isLasting(sighting) ? 1 : PARAMETERS.score.temporaryShare;
  return share * trust * volumeDecay(ageInDays(sighting.day, asOf));
}

/** A count in which temporary signs alone make up only a share. */
function lifting(counts: EvidenceCounts, size: keyof EvidenceCounts["lasting"]): number {
  const lasting = counts.lasting[size];
  return lasting + PARAMETERS.score.temporaryShare * (counts[size] - lasting);
}

/** Remaining share of an observation's trust after `age` days; halves every 90. */
function volumeDecay(age: number): number {
  return DECAY[age] ?? 0.5 ** (age / PARAMETERS.score.volumeHalfLifeDays);
}

// A table, because histories need the same 365 powers about twenty million times.
const DECAY = Float64Array.from(
  { length: PARAMETERS.window.days },
  (_, age) => 0.5 ** (age / PARAMETERS.score.volumeHalfLifeDays),
);

/** Saturating count: 0 for none, approaching 1 for many. */
function saturation(amount: number, scale: number): number {
  return 1 - Math.exp(-amount / scale);
}

function partScore(value: number, weight: number): PartScore {
  return { value: round9(value), weight, points: round9(100 * weight * value) };
}
