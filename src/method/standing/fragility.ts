/** How much of a record's standing rests on one principal. */
import type { AsOf } from "../numbers.ts";
import type { JudgedSighting, RecordFacts } from "../types.ts";
import { countEvidence, type EvidenceCounts, type EvidenceSize, isLasting, trustWeight } from "./counting.ts";
import { gateOf } from "./gate.ts";
import { LastDays, scoreOf, volumeWeight } from "./score.ts";
import { soleCorroborators, stateOf } from "./verification.ts";

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
