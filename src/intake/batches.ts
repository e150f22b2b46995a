import { confirmationCode } from "../kernel/confirmation.ts";
import { OperatorError } from "../kernel/errors.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import type { Batch, Batches, BatchLeft, BatchLines } from "../ledger/matching/batches.ts";
import { BATCH_UNDONE } from "../ledger/rows/rows.ts";
import type { StoredObservation } from "../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { IngestSummary } from "./ingest.ts";
import { reteachRows } from "./matching/reteach.ts";
import { CurrentCounts } from "./sources/teaching.ts";

/** `empty`: no line came in. `taken_in`: every accepted line has a row, waits for a reviewer, or is deleted. */
export const BATCH_STATES = ["pending", "held_back", "approved", "taken_in", "undone", "empty"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export function batchState({ decision, accepted, looks }: Batch, { waiting }: BatchLeft): BatchState {
  if (decision === "undone" || decision === "held_back") return decision;
  if (waiting > 0) return decision === "approved" ? "approved" : "pending";
  return accepted + looks === 0 ? "empty" : "taken_in";
}

const NAME = /^b\d{1,15}$/;

/** Throws OperatorError for a name that no batch has. */
export function knownBatch(batches: Batches, name: string): Batch {
  const batch = NAME.test(name) ? batches.find(name) : undefined;
  if (batch !== undefined) return batch;
  throw new OperatorError(`no batch ${name}: see \`presence batch list\``);
}

/** The lines of a batch that was held back go with the next seal, dated today. Throws OperatorError for another one. */
export function approve(ledger: LedgerWriter, name: string): Batch {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision !== "held_back")
    throw new OperatorError(`batch ${name} is not held back: there is nothing to approve`);
  const now = ledger.now();
  ledger.transaction(() => {
    ledger.batches.letGo(name, now);
    ledger.batches.decide(name, "approved", now);
  });
  return batch;
}

/**
 * Taking a batch back. Lines without a row leave as if they had never come. Rows stay, and stop counting at once and together: that
 * tells every reader that they came in one batch, so it asks for a code first.
 */

export interface UndoPlan {
  readonly batch: Batch;
  readonly left: BatchLeft;
  readonly rows: readonly number[]; // observations of the batch
  readonly counting: readonly number[]; // of these, those that count now
  readonly records: number; // that the counting ones are about
  readonly observers: number; // that made them
  /** Of two of them, how probably one observer made both: how often a reader is right who takes the batch for one observer. */
  readonly oneObserver: number;
  readonly code: string; // valid until the ledger changes
}

/** Changes nothing. Reads the ledger through where the batch has rows. Throws OperatorError for an unknown batch, or one that is undone. */
export function planUndo(ledger: LedgerWriter, name: string): UndoPlan {
  const batch = knownBatch(ledger.batches, name);
  if (batch.decision === "undone") throw new OperatorError(`batch ${name} is undone already`);
  const rows = ledger.batches.rowsOf(name);
  const counting = rows.length === 0 ? [] : countingRows(ledger, new Set(rows));
  const { row, hash } = ledger.live.last();
  return {
    batch,
    left: ledger.batches.left(name),
    rows,
    counting: counting.map((each) => each.row),
    records: new Set(counting.map(({ body }) => body.record)).size,
    ...observersOf(counting),
    code: confirmationCode([row, hash, "undo", name, rows]),
  };
}

function countingRows(ledger: LedgerWriter, rows: ReadonlySet<number>): StoredObservation[] {
  const counts = new CurrentCounts(ledger.live.recounts());
  return [...ledger.storedObservations()].filter(
    (stored) => rows.has(stored.row) && counts.of({ row: stored.row, stored }),
  );
}

function observersOf(counting: readonly StoredObservation[]): Pick<UndoPlan, "observers" | "oneObserver"> {
  const sizes = [...Map.groupBy(counting, ({ hidden }) => hidden.observer.hash).values()].map(
    ({ length }) => length,
  );
  const pairs = (size: number) => size * (size - 1);
  const all = pairs(counting.length);
  const same = sizes.reduce((sum, size) => sum + pairs(size), 0);
  return { observers: sizes.length, oneObserver: all === 0 ? 0 : same / all };
}

/** One transaction. The rows that stop the batch's rows are dated the last finished day, so that the next seal covers them. */
export function undo(ledger: LedgerWriter, { batch: { name }, rows, counting }: UndoPlan): void {
  const { batches, sources } = ledger;
  const now = ledger.now();
  const today = utcDayStart(now);
  ledger.transactionDated(today - 1, () => {
    batches.takeBack(name, now);
    batches.decide(name, "undone", now);
    for (const row of rows) {
      sources.putSetAside(row, BATCH_UNDONE, today);
      sources.settle({ target: row, change: { counts: true } });
    }
    for (const target of counting)
      ledger.append({ kind: "recount", body: { code: BATCH_UNDONE, counts: false, target } });
    reteachRows(ledger, counting);
  });
}

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

/** Whether a file brought what a file should bring. Pure. */

export interface OutcomeBounds {
  /** Largest share of the lines that may be rejected. */
  readonly maxRejected: number;
  /** Largest share of the lines that may be known where some are new. */
  readonly maxKnown: number;
}

export const OUTCOME_BOUNDS: OutcomeBounds = { maxRejected: 0.5, maxKnown: 0.9 };

/**
 * What is wrong with what came of a file, as a sentence without its name; undefined when nothing is. A file that was ingested before
 * is as it should be, and so is one that takes the rest of a run that was cut off. Lines that an opt-out refuses are no fault of it.
 */
export function shortfall(
  { read, accepted, looks, known, rejected, rejectedByReason, batch, isContinued }: IngestSummary,
  { maxRejected, maxKnown }: OutcomeBounds,
): string | undefined {
  if (read === 0) return "the file is empty: it has no line";
  const came = accepted + looks;
  const kept = came === 0 || batch === null ? "" : `; what was accepted waits as batch ${batch}`;
  const { opted_out: optedOut = 0 } = rejectedByReason;
  const faulty = rejected - optedOut;
  if (came + known === 0 && faulty > 0)
    return `nothing came in: all ${plain(read)} lines were rejected; see the rejects file`;
  if (faulty > maxRejected * read)
    return `${plain(faulty)} of ${plain(read)} lines were rejected, more than --max-rejected ${maxRejected} allows${kept}: see the rejects file`;
  if (came > 0 && known > maxKnown * read && !isContinued)
    return `${plain(known)} of ${plain(read)} lines were known already, more than --max-known ${maxKnown} allows for a file with new lines${kept}`;
  return undefined;
}
