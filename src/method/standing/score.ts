import { type AsOf, ageInDays } from "../as-of.ts";
import { round9 } from "../numbers.ts";
import { PARAMETERS } from "../parameters.ts";
import type { JudgedSighting } from "../types.ts";
import { countEvidence, type EvidenceCounts } from "./counting.ts";

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

/** Computes the raw score `pps-2026-11.v2` from a record's countable sightings; all components are 0 without any. */
export function rawScore(countable: readonly JudgedSighting[], asOf: AsOf): RawScore {
  let weight = 0;
  let lastDay = Number.NEGATIVE_INFINITY;
  for (const { day, trust } of countable) {
    weight += trust * volumeDecay(ageInDays(day, asOf));
    lastDay = Math.max(lastDay, day);
  }
  return scoreOf(countEvidence(countable), ageInDays(lastDay, asOf), weight);
}

/**
 * Computes the raw score from counts. `lastAge`: days since the last countable sighting, Infinity without one.
 * `weight`: sum of trust times `volumeDecay` over the countable sightings.
 */
export function scoreOf(counts: EvidenceCounts, lastAge: number, weight: number): RawScore {
  const { score } = PARAMETERS;
  const recency = 0.5 ** (lastAge / score.recencyHalfLifeDays);
  const volume = saturation(weight, score.volumeScale);
  const breadth = saturation(counts.cells, score.breadthScale);
  const assets = saturation(counts.assets, score.assetsScale);
  const independence = saturation(counts.observers, score.independenceScale);
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

/** Remaining share of an observation's trust after `age` days; halves every 90. */
export function volumeDecay(age: number): number {
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
