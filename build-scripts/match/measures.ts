import { latLngToCell } from "h3-js";
import { PLACE_RESOLUTION } from "../../src/intake/places/place.ts";
import { nameKey } from "../../src/kernel/text/name-key.ts";
import type { Found, FoundLine } from "./feed.ts";
import { addressKey } from "./real-sets.ts";

/** Pairwise measures: of each two lines, whether they were found to be of one thing, and whether they truly are. Pure. */

export interface Figures {
  readonly set: string;
  readonly rows: number;
  readonly records: number;
  /** Lines that are no rows: refused, or waiting for a reviewer. */
  readonly others: number;
  readonly recordPrecision: number;
  readonly recordRecall: number;
  /** Recall with pairs of lines whose records are proposed as one. */
  readonly recordRecallProposed: number;
  readonly assetPrecision: number;
  readonly assetRecall: number;
  readonly itemsPerHundred: number;
  /** Of pairs in one record: those under different name keys, and those of one key that are written differently. */
  readonly near: Joined;
  readonly spelled: Joined;
  /** What a perfect rule of name and place reaches for assets: names change, and a place is no finer than a cell. */
  readonly ruleAssetPrecision: number;
  readonly ruleAssetRecall: number;
  readonly mistakes: readonly Mistake[];
}

export interface Joined {
  readonly pairs: number;
  readonly precision: number;
}

export interface Mistake {
  readonly of: "record" | "asset";
  readonly kind: "joined" | "parted";
  readonly pairs: number;
  readonly one: string;
  readonly other: string;
}

type KeyOf = (line: FoundLine) => string | number;

const MAX_MISTAKES = 50;

const recordOf: KeyOf = ({ record }) => record;
const trueRecord: KeyOf = ({ truth }) => truth.record;
const assetOf: KeyOf = ({ asset }) => asset;
const trueAsset: KeyOf = ({ truth }) => truth.asset;
const keyOf: KeyOf = ({ input }) => nameKey(input.name);
const spellingOf: KeyOf = ({ input }) => input.name;
const nameAndCell: KeyOf = (line) =>
  `${keyOf(line)} at ${latLngToCell(line.input.lat, line.input.lng, PLACE_RESOLUTION)}`;
const nameAndAddress: KeyOf = (line) => `${keyOf(line)} at ${addressKey(line.address)}`;

export function figuresOf(set: string, { lines, records, proposed }: Found, sent: number): Figures {
  const found = ratios(lines, recordOf, trueRecord);
  const assets = ratios(lines, assetOf, trueAsset);
  return {
    set,
    rows: lines.length,
    records,
    others: sent - lines.length,
    recordPrecision: found.precision,
    recordRecall: found.recall,
    recordRecallProposed: found.recall + share(proposedPairs(lines, proposed), pairs(lines, trueRecord)),
    assetPrecision: assets.precision,
    assetRecall: assets.recall,
    // One item has all candidates of a record: it stands at the later one of a pair.
    itemsPerHundred: (100 * new Set(proposed.map(([, later]) => later)).size) / Math.max(1, records),
    near: joined(lines, [], keyOf),
    spelled: joined(lines, [keyOf], spellingOf),
    ruleAssetPrecision: ratios(lines, nameAndCell, trueAsset).precision,
    ruleAssetRecall: ratios(lines, nameAndAddress, trueAsset).recall,
    mistakes: [
      ...mistakes(lines, "record", recordOf, trueRecord),
      ...mistakes(lines, "asset", assetOf, trueAsset),
    ]
      .sort((a, b) => b.pairs - a.pairs)
      .slice(0, MAX_MISTAKES),
  };
}

function ratios(lines: readonly FoundLine[], found: KeyOf, truth: KeyOf) {
  const both = pairs(lines, found, truth);
  return {
    precision: share(both, pairs(lines, found), 1),
    recall: share(both, pairs(lines, truth), 1),
  };
}

/** Pairs of lines that have all of the keys in common. */
function pairs(lines: readonly FoundLine[], ...keys: readonly KeyOf[]): number {
  const counts = countsBy(lines, (line) => keys.map((key) => key(line)).join("\n"));
  return [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
}

function countsBy(lines: readonly FoundLine[], key: KeyOf): Map<string | number, number> {
  const counts = new Map<string | number, number>();
  for (const line of lines) counts.set(key(line), (counts.get(key(line)) ?? 0) + 1);
  return counts;
}

/** Pairs in one record that have `same` in common and differ in `other`, with the share that truly are of one record. */
function joined(lines: readonly FoundLine[], same: readonly KeyOf[], other: KeyOf): Joined {
  const differing = (...keys: readonly KeyOf[]) => pairs(lines, ...keys) - pairs(lines, ...keys, other);
  const all = differing(recordOf, ...same);
  return { pairs: all, precision: share(differing(recordOf, trueRecord, ...same), all, 1) };
}

function proposedPairs(lines: readonly FoundLine[], proposed: Found["proposed"]): number {
  const truths = new Map(
    [...Map.groupBy(lines, recordOf)].map(([record, own]) => [record, countsBy(own, trueRecord)]),
  );
  return proposed.reduce((sum, [one, other]) => {
    const others = truths.get(other);
    return [...(truths.get(one) ?? [])].reduce(
      (own, [truth, count]) => own + count * (others?.get(truth) ?? 0),
      sum,
    );
  }, 0);
}

function share(part: number, whole: number, ofNothing = 0): number {
  return whole === 0 ? ofNothing : part / whole;
}

function mistakes(lines: readonly FoundLine[], of: Mistake["of"], found: KeyOf, truth: KeyOf): Mistake[] {
  return [
    ...crossPairs(lines, found, truth).map((pair) => ({ of, kind: "joined" as const, ...pair })),
    ...crossPairs(lines, truth, found).map((pair) => ({ of, kind: "parted" as const, ...pair })),
  ];
}

/** Pairs of groups of one `whole` that differ in `part`. */
function crossPairs(lines: readonly FoundLine[], whole: KeyOf, part: KeyOf) {
  return [...Map.groupBy(lines, whole).values()].flatMap((group) => {
    const parts = [...Map.groupBy(group, part).values()].sort((a, b) => b.length - a.length);
    return parts.slice(0, MAX_MISTAKES).flatMap((one, at) =>
      parts.slice(at + 1, MAX_MISTAKES).map((other) => ({
        pairs: one.length * other.length,
        one: labelOf(one),
        other: labelOf(other),
      })),
    );
  });
}

function labelOf(lines: readonly FoundLine[]): string {
  const [first] = lines;
  return first === undefined ? "" : `${first.input.name}, ${first.address} (${lines.length})`;
}

const MAX_LOSS = 0.002;
const MAX_ITEMS_PER_HUNDRED = 3;
const MIN_NEAR_PRECISION = 0.99;
const COMPARED = ["recordPrecision", "recordRecall", "assetPrecision", "assetRecall"] as const;

/** What misses a bound, in words. */
export function boundFaults(here: readonly Figures[], there: readonly Figures[]): string[] {
  return here.flatMap((own) => {
    const other = there.find(({ set }) => set === own.set);
    const lost = COMPARED.filter((name) => other !== undefined && own[name] < other[name] - MAX_LOSS);
    return [
      ...lost.map((name) => `${own.set}: ${name} ${own[name].toFixed(4)}, there ${other?.[name].toFixed(4)}`),
      ...(own.itemsPerHundred > MAX_ITEMS_PER_HUNDRED
        ? [`${own.set}: ${own.itemsPerHundred.toFixed(1)} items per hundred records`]
        : []),
      ...(own.near.precision < MIN_NEAR_PRECISION
        ? [`${own.set}: precision ${own.near.precision.toFixed(4)} of what near names joined`]
        : []),
    ];
  });
}
