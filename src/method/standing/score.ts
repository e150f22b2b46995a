import { type AsOf, ageInDays, PARAMETERS, round9 } from "../numbers.ts";
import type { JudgedSighting, RecordFacts, Sighting } from "../types.ts";
import {
  countEvidence,
  type EvidenceCounts,
  type EvidenceSize,
  gateOf,
  isLasting,
  trustWeight,
} from "./counting.ts";
import { soleCorroborators, stateOf } from "./verification.ts";

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

/** How much of a record's standing rests on one principal. */

/** What remains of a record at least, whichever single principal is left out. */
export interface WithoutAnyOne {
  readonly raw: number; // the lowest raw score
  readonly gateHolds: boolean;
}

/**
 * Leaves out each principal of a record in turn, as if it had never seen the record: the corroboration of the others is judged
 * anew. `counted` are the record's countable sightings. The work grows with the sightings plus the principals, not with their
 * product: what each principal alone accounts for is subtracted from the totals.
 */
export function lowestWithoutAnyOne(
  { sightings, industry, flagged }: Pick<RecordFacts, "sightings" | "industry" | "flagged">,
  counted: readonly JudgedSighting[],
  asOf: AsOf,
): WithoutAnyOne {
  const countsWithout = remainingCounts(counted);
  const recencyWithout = remainingRecency(counted, asOf);
  const { total, lost } = volumes(sightings, counted, asOf);
  let raw = Number.POSITIVE_INFINITY;
  let gateHolds = counted.length > 0;
  for (const observer of new Set(counted.map((sighting) => sighting.observer))) {
    const counts = countsWithout(observer);
    const weight = Math.max(0, total - (lost.get(observer) ?? 0));
    raw = Math.min(raw, scoreOf(counts, recencyWithout(observer), weight).raw);
    gateHolds &&= gateOf(counts, industry, flagged).status === "eligible";
  }
  return { raw: counted.length > 0 ? raw : 0, gateHolds };
}

/** The weight of the volume, and by principal the part that goes with it: its own, and what it alone corroborates. */
function volumes(sightings: readonly JudgedSighting[], counted: readonly JudgedSighting[], asOf: AsOf) {
  const sole = soleCorroborators(sightings);
  const lost = new Map<string, number>();
  const lose = (observer: string, weight: number) => lost.set(observer, (lost.get(observer) ?? 0) + weight);
  let total = 0;
  for (const sighting of counted) {
    const { id, observer, source, trust } = sighting;
    const weight = volumeWeight(sighting, trust, asOf);
    total += weight;
    lose(observer, weight);
    const corroborator = sole.get(id);
    if (corroborator === undefined) continue;
    const alone = trustWeight(source, stateOf(sighting, false));
    lose(corroborator, weight - volumeWeight(sighting, alone, asOf));
  }
  return { total, lost };
}

/** Returns the counts without the sightings of one principal. */
function remainingCounts(counted: readonly JudgedSighting[]): (observer: string) => EvidenceCounts {
  const all = countEvidence(counted);
  const ofAll = ownedSizes(counted);
  const ofLasting = ownedSizes(counted.filter(isLasting));
  const days = owned(counted, ({ day }) => day);
  const observations = new Map<string, number>();
  for (const { observer } of counted) observations.set(observer, (observations.get(observer) ?? 0) + 1);
  return (observer) => ({
    observations: all.observations - (observations.get(observer) ?? 0),
    days: all.days - (days.get(observer) ?? 0),
    ...less(all, ofAll, observer),
    lasting: less(all.lasting, ofLasting, observer),
  });
}

/** By principal, the number of distinct keys that its sightings alone have. */
type Owned = ReadonlyMap<string, number>;

type OwnedSizes = Readonly<Record<keyof EvidenceSize, Owned>>;

function ownedSizes(counted: readonly JudgedSighting[]): OwnedSizes {
  const fine = counted.filter((sighting) => sighting.fine);
  return {
    observers: owned(counted, ({ observer }) => observer),
    cells: owned(fine, ({ cell }) => cell),
    assets: owned(counted, ({ asset }) => asset),
  };
}

function less(size: EvidenceSize, { observers, cells, assets }: OwnedSizes, observer: string): EvidenceSize {
  return {
    observers: size.observers - (observers.get(observer) ?? 0),
    cells: size.cells - (cells.get(observer) ?? 0),
    assets: size.assets - (assets.get(observer) ?? 0),
  };
}

function owned<K>(sightings: readonly JudgedSighting[], keyOf: (sighting: JudgedSighting) => K): Owned {
  const owners = new Map<K, string | undefined>(); // undefined: several
  for (const sighting of sightings) {
    const key = keyOf(sighting);
    const isShared = owners.has(key) && owners.get(key) !== sighting.observer;
    owners.set(key, isShared ? undefined : sighting.observer);
  }
  const counts = new Map<string, number>();
  for (const owner of owners.values())
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}

/** Returns the recency without one principal, which only those of the last sightings change. */
function remainingRecency(counted: readonly JudgedSighting[], asOf: AsOf): (observer: string) => number {
  const recencyOf = (sightings: readonly JudgedSighting[]) => {
    const last = new LastDays();
    for (const sighting of sightings) last.add(sighting);
    return last.recency(asOf);
  };
  const full = recencyOf(counted);
  const changed = new Map<string, number>();
  for (const last of [counted.at(-1), counted.findLast(isLasting)])
    if (last !== undefined)
      changed.set(last.observer, recencyOf(counted.filter(({ observer }) => observer !== last.observer)));
  return (observer) => changed.get(observer) ?? full;
}
