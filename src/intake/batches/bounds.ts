import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { Batch, BatchLines } from "../../ledger/matching/batches.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";

/**
 * The bounds of what comes in, judged before anything is matched. They are learnt from the nights before; a setting takes the place
 * of what is learnt. Pure.
 */

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

/** How long it is kept which rows came in which batch. */
export const BATCH_DAYS = 400;

type Ledger = Pick<LedgerWriter, "batches" | "now" | "transaction">;

/**
 * Judges the batches with lines to take in up to a UTC day (ms), each once, and holds back those outside the bounds, as a whole. One
 * transaction. Returns what it held back.
 */
export function judgeBatches(ledger: Ledger, bounds: Bounds, upTo: number): Batch[] {
  const { batches } = ledger;
  const due = batches.unjudged(upTo);
  if (due.length === 0) return [];
  const now = ledger.now();
  const lines = Map.groupBy(batches.linesOf(due.map(({ name }) => name)), ({ batch }) => batch);
  const first = Math.min(...[...lines.values()].flat().map(({ day }) => day));
  const before = nightsBefore(ledger, first);
  const earlierBySource = new Map<string, number>();
  return ledger.transaction(() =>
    due.flatMap((batch) => {
      const linesBySource = bySource(lines.get(batch.name) ?? []);
      const findings = outsideBounds({ ...batch, linesBySource, earlierBySource }, before, bounds);
      if (findings.length > 0) {
        batches.decide(batch.name, "held_back", now, findings);
        batches.holdBack(batch.name, now);
        return [{ ...batch, findings }];
      }
      batches.decide(batch.name, "within", now);
      add(earlierBySource, linesBySource);
      return [];
    }),
  );
}

/** Forgets which rows came together, and all else of batches, when nobody is to undo them any more. */
export function forgetOldBatches(ledger: Ledger): void {
  const before = utcDayStart(ledger.now()) - BATCH_DAYS * DAY_MS;
  ledger.transaction(() => ledger.batches.forgetBefore(before));
}

/** The nights before a UTC day (ms) that are learnt from. */
function nightsBefore({ batches }: Pick<Ledger, "batches">, day: number): Night[] {
  const letIn = batches.letIn(day - BRAKE.nights * DAY_MS, day);
  const byName = new Map(letIn.map((batch) => [batch.name, batch]));
  const days = Map.groupBy(
    batches.linesOf([...byName.keys()]).filter((each) => each.day < day),
    (each) => each.day,
  );
  return [...days.values()].map((lines) => ({
    linesBySource: bySource(lines),
    batches: [...new Set(lines.map(({ batch }) => batch))].flatMap((name) => byName.get(name) ?? []),
  }));
}

function bySource(lines: readonly BatchLines[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const { source, lines: count } of lines) sum.set(source, (sum.get(source) ?? 0) + count);
  return sum;
}

function add(sum: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [source, count] of more) sum.set(source, (sum.get(source) ?? 0) + count);
}
