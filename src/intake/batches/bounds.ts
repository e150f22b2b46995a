/**
 * The bounds of what comes in, judged before anything is matched. They are learnt from the nights before; a setting takes the place
 * of what is learnt. Pure.
 */
import type { Batch } from "../../ledger/matching/batches.ts";

export interface Bounds {
  readonly linesFactor: number;
  /** Shares; undefined where they are learnt. */
  readonly maxRejected?: number | undefined;
  readonly maxNewNames?: number | undefined;
  readonly maxNewCells?: number | undefined;
}

export const BRAKE = {
  nights: 28, // that are learnt from
  minNights: 7, // with lines; nothing is judged by what fewer nights say
  minLines: 100, // of a batch, or of a source in a night; fewer are never outside
} as const;

export type BatchShares = Pick<Batch, "read" | "accepted" | "rejected" | "newNames" | "newCells">;

/** A night before, as its batches were let in. */
export interface Night {
  readonly linesBySource: ReadonlyMap<string, number>;
  readonly batches: readonly BatchShares[];
}

export interface Judged extends BatchShares {
  /** Accepted lines by source; those of the night's earlier batches that were let in are added to them. */
  readonly linesBySource: ReadonlyMap<string, number>;
  readonly earlierBySource: ReadonlyMap<string, number>;
}

/** What is outside the bounds, a sentence each; empty for a batch within them. */
export function outsideBounds(batch: Judged, before: readonly Night[], bounds: Bounds): string[] {
  const sources = [...batch.linesBySource].flatMap(([source, lines]) => {
    const all = lines + (batch.earlierBySource.get(source) ?? 0);
    return tooManyLines(source, all, before, bounds.linesFactor);
  });
  const shares = SHARES.flatMap((share) => tooLargeShare(batch, share, before, bounds));
  return [...sources, ...shares];
}

function tooManyLines(source: string, lines: number, before: readonly Night[], factor: number): string[] {
  const nights = before.flatMap(({ linesBySource }) => linesBySource.get(source) ?? []);
  if (lines < BRAKE.minLines || nights.length < BRAKE.minNights) return [];
  const largest = Math.max(...nights);
  if (lines <= factor * largest) return [];
  return [
    `${plain(lines)} lines of ${source} in one night: more than ${factor} times the largest of the nights before (${plain(largest)})`,
  ];
}

interface Share {
  readonly what: string;
  readonly bound: "maxRejected" | "maxNewNames" | "maxNewCells";
  of(batch: BatchShares): number | undefined;
}

const SHARES: readonly Share[] = [
  { what: "of the lines were rejected", bound: "maxRejected", of: (it) => share(it.rejected, it.read) },
  {
    what: "of the accepted lines have names that no night before had",
    bound: "maxNewNames",
    of: (it) => share(it.newNames, it.accepted),
  },
  {
    what: "of the accepted lines are in map cells that no night before had",
    bound: "maxNewCells",
    of: (it) => (it.newCells === null ? undefined : share(it.newCells, it.accepted)),
  },
];

/** Undefined for a batch that is too small for a share to mean anything. */
function share(part: number, all: number): number | undefined {
  return all < BRAKE.minLines ? undefined : part / all;
}

function tooLargeShare(
  batch: BatchShares,
  { what, bound, of }: Share,
  before: readonly Night[],
  bounds: Bounds,
): string[] {
  const found = of(batch);
  const max = bounds[bound] ?? learnt(before, of);
  if (found === undefined || max === undefined || found <= max) return [];
  return [`${percent(found)} ${what}: the bound is ${percent(max)}`];
}

/** Half way from the largest share of the nights before to all lines; undefined before enough nights had one. */
function learnt(before: readonly Night[], of: Share["of"]): number | undefined {
  const nights = before.map(({ batches }) => batches.flatMap((each) => of(each) ?? []));
  const shares = nights.filter((each) => each.length > 0).map((each) => Math.max(...each));
  return shares.length < BRAKE.minNights ? undefined : (1 + Math.max(...shares)) / 2;
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
