import { BUILT_IN } from "../contract/fields.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { Delivery } from "../ledger/matching/batches.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { type AcceptedLine, Acceptor, type Arrival } from "./acceptor.ts";
import type { CategoryCounts, ColumnMap } from "./lines/column-map.ts";
import type { RejectReason } from "./lines/fault.ts";
import { type Prepared, prepare, prepareInThread, type Refusal, refusal } from "./lines/prepare.ts";
import { ignoredText } from "./lines/read-lines.ts";
import type { RejectSink } from "./lines/rejects.ts";
import { intakeHashes, type LineToAccept } from "./lines/sighting.ts";
import type { Look } from "./looks/look.ts";

export interface IngestOptions {
  readonly ledger: LedgerWriter;
  /**
   * The bytes of one file, plain or gzip; or the descriptor of a large file, which is worth a second thread that takes a tenth of
   * a second to start, and which is closed at the end.
   */
  readonly source: AsyncIterable<Uint8Array> | { readonly largeFile: number };
  /** What to call it in messages. */
  readonly name: string;
  /** How to read CSV; without a map the input is NDJSON. */
  readonly map?: ColumnMap | undefined;
  /** Of the text, as `encodingName` gives it; that of the map unless given, else UTF-8. */
  readonly encoding?: string | undefined;
  /** Whose file it is, where that is known: lines without a source get it, and those of another one are refused. */
  readonly ofSource?: string | undefined;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly rejects: RejectSink;
  /** Lines in one transaction; more for a large file unless given. */
  readonly batchLines?: number | undefined;
  readonly onWarning?: (message: string) => void;
  /** After each commit, with the totals so far: these lines are kept for good. */
  readonly onCommit?: (summary: IngestSummary, bytesRead: number) => void;
}

const BATCH_LINES = 10_000;
/**
 * Each batch of a large file writes to most pages of the look-up table of references, whose keys are random: fewer batches write
 * less, and this many lines still take few megabytes.
 */
const LARGE_BATCH_LINES = 50_000;

/**
 * Accepts a file of observations. Every line ends as accepted, known or rejected, and running the same file again adds nothing.
 * Accepted lines become rows when their UTC day is over and the seal takes it in (see `takeIn`). Throws OperatorError, after committing what could be read, when the file is truncated or damaged;
 * when the disk is full the last batch is undone as a whole and the batches before it stay.
 */
export async function ingest(options: IngestOptions): Promise<IngestSummary> {
  const { name } = options;
  const run = new IngestRun(options);
  let damage: string | undefined;
  try {
    for await (const batch of batches(options)) {
      run.commit(batch);
      options.onCommit?.(run.summary(), batch.bytesRead);
      damage = batch.damage;
      if (batch.ignoredBytes > 0) options.onWarning?.(ignoredText(batch));
    }
  } catch (error) {
    throw explained(error, name, run.summary());
  }
  if (damage !== undefined)
    throw new OperatorError(
      `${name}: the file is truncated or damaged (${damage}): ${done(run.summary())}; get a complete copy and run it again`,
    );
  run.end();
  return run.summary();
}

function batches({
  source,
  map,
  encoding,
  ofSource,
  ledger,
  ...options
}: IngestOptions): AsyncGenerator<Prepared> {
  const { purposeKey } = ledger;
  const now = () => ledger.now();
  const isLarge = "largeFile" in source;
  const { batchLines = isLarge ? LARGE_BATCH_LINES : BATCH_LINES } = options;
  const preparation = { map, batchLines, encoding: encoding ?? map?.encoding, source: ofSource, now };
  return isLarge
    ? prepareInThread(source.largeFile, { ...preparation, purposeKey })
    : prepare(source, { ...preparation, hashes: intakeHashes(purposeKey) });
}

function explained(error: unknown, name: string, summary: IngestSummary): unknown {
  if (error instanceof OperatorError)
    return new OperatorError(`${name}: ${error.message}${summary.read === 0 ? "" : ` (${done(summary)})`}`, {
      cause: error,
    });
  if (!hasErrorCode(error, "ENOSPC")) return error;
  return new OperatorError(`${name}: the disk is full: ${done(summary)}; free some space and run it again`, {
    cause: error,
  });
}

function done({ read, accepted, looks, known, rejected }: IngestSummary): string {
  return `${read} lines were read up to there: ${accepted + looks} accepted, ${known} known, ${rejected} rejected`;
}

/** Counts of lines by outcome: accepted + looks + known + rejected = read. */
export interface IngestSummary {
  readonly read: number;
  readonly accepted: number; // observations
  readonly looks: number; // accepted looks
  readonly known: number;
  readonly rejected: number;
  /** Accepted lines that name no source: those of all built-in sources count as one principal. */
  readonly withoutSource: number;
  readonly rejectedByReason: Readonly<Partial<Record<RejectReason, number>>>;
  /** Categories that the `industry_map` of the column map lacks: their lines came in without an industry. */
  readonly unknownCategories: CategoryCounts;
  /** Accepted lines whose name no night before had in their city. */
  readonly newNames: number;
  /** Accepted lines of fixed assets in cells that no night before had. */
  readonly newCells: number;
  /** The name of the batch; null before the first commit, and in a dry run. */
  readonly batch: string | null;
  /** Whether an earlier run over the file was cut off: this one takes the rest. */
  readonly isContinued: boolean;
}

export interface RunOptions {
  readonly ledger: LedgerWriter;
  /** What the file is called in messages and in the list of batches. */
  readonly name: string;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly rejects: RejectSink;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Counts = Writable<
  Omit<IngestSummary, "rejectedByReason" | "unknownCategories" | "batch" | "isContinued">
>;

/** What one commit adds up, until its transaction has succeeded. */
interface Commit extends Arrival {
  readonly counts: Counts;
  readonly refusals: Refusal[];
  readonly deliveries: Map<string, Writable<Delivery>>; // by source and city
}

/** One run over one input. Owns caches and counts, so it must not be used after `commit` has thrown. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #store: IntakeStore;
  readonly #acceptor: Acceptor;
  readonly #isContinued: boolean;
  #batch: string | undefined;
  #counts: Counts = {
    ...{ read: 0, accepted: 0, looks: 0, known: 0, rejected: 0 },
    ...{ withoutSource: 0, newNames: 0, newCells: 0 },
  };
  #reasons: ReadonlyMap<RejectReason, number> = new Map();
  #categories: CategoryCounts = [];

  constructor(options: RunOptions) {
    const { ledger, synthetic, dryRun, name } = options;
    assertSameKind(ledger.intake.isSynthetic(), synthetic);
    this.#options = options;
    this.#store = dryRun ? ledger.dryRunIntake() : ledger.intake;
    this.#acceptor = new Acceptor(ledger, this.#store);
    this.#isContinued = ledger.batches.isUnfinished(name);
  }

  summary(): IngestSummary {
    const batch = this.#options.dryRun ? null : (this.#batch ?? null);
    return {
      ...this.#counts,
      rejectedByReason: sortedCounts(this.#reasons),
      unknownCategories: this.#categories,
      batch,
      isContinued: this.#isContinued,
    };
  }

  /** Takes the lines wholly or not at all, and counts them only then. */
  commit(prepared: Prepared): void {
    const { ledger, synthetic, dryRun } = this.#options;
    const refusals = [...prepared.refusals];
    const counts = { ...this.#counts, read: this.#counts.read + prepared.lines };
    const reasons = new Map(this.#reasons);
    ledger.transaction(() => {
      const commit = { ...this.#arrival(), counts, refusals, deliveries: new Map() };
      for (const sighting of prepared.sightings) this.#accept(sighting, commit);
      for (const look of prepared.looks) this.#acceptLook(look, commit);
      for (const { reason } of refusals) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      counts.rejected += refusals.length;
      if (dryRun) return;
      const report = { ...counts, rejectedByReason: sortedCounts(reasons) };
      ledger.batches.count(commit.batch, report, commit.deliveries.values(), commit.day);
      this.#store.settleSourceRefs();
      const accepted = counts.accepted - this.#counts.accepted;
      if (accepted === 0) return;
      this.#store.setSynthetic(synthetic);
      ledger.pending.note(ledger.now(), accepted);
    });
    this.#counts = counts;
    this.#reasons = reasons;
    this.#categories = prepared.unknownCategories;
    this.#report(refusals);
  }

  /** The file was read to its end. A file without a line is a batch, too. */
  end(): void {
    const { ledger, dryRun, name: file } = this.#options;
    if (dryRun) return;
    ledger.transaction(() => {
      this.#arrival();
      ledger.batches.end(file, ledger.now());
    });
  }

  /** Begins the batch with its first commit. */
  #arrival(): Arrival {
    const { ledger, dryRun, name } = this.#options;
    const now = ledger.now();
    if (this.#batch === undefined) {
      this.#batch = this.#store.nextBatch();
      if (!dryRun) ledger.batches.begin(this.#batch, name, now);
    }
    return { batch: this.#batch, day: utcDayStart(now) };
  }

  #accept(checked: LineToAccept, commit: Commit): void {
    const { counts, refusals } = commit;
    const { line, source, json } = checked;
    try {
      const outcome = this.#acceptor.accept(checked, commit);
      counts[outcome === "known" ? "known" : "accepted"] += 1;
      if (outcome === "known") return;
      if (source === undefined) counts.withoutSource += 1;
      for (const sum of [counts, deliveryOf(commit, checked, outcome)]) {
        if (outcome.isNewName) sum.newNames += 1;
        if (outcome.isNewCell) sum.newCells += 1;
      }
    } catch (error) {
      refusals.push(refusal(line, error, JSON.parse(json)));
    }
  }

  #acceptLook(look: Look, { counts, refusals }: Commit): void {
    try {
      counts[this.#acceptor.acceptLook(look) === "known" ? "known" : "looks"] += 1;
    } catch (error) {
      refusals.push(refusal(look.line, error, undefined));
    }
  }

  #report(refusals: Refusal[]): void {
    if (refusals.length === 0) return;
    refusals.sort((a, b) => a.line - b.line);
    this.#options.rejects.write(refusals.map(({ entry }) => entry).join(""));
  }
}

/** The delivery that a line belongs to, which it is counted in. */
function deliveryOf(
  { deliveries }: Commit,
  { source: named, source_type }: LineToAccept,
  { city }: AcceptedLine,
): Writable<Delivery> {
  const source = named ?? `${BUILT_IN} ${source_type}`;
  const key = JSON.stringify([source, city]);
  const delivery = deliveries.get(key) ?? { source, city, lines: 0, newNames: 0, newCells: 0 };
  deliveries.set(key, delivery);
  delivery.lines += 1;
  return delivery;
}

function sortedCounts(reasons: ReadonlyMap<RejectReason, number>): Partial<Record<RejectReason, number>> {
  return Object.fromEntries([...reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function assertSameKind(existing: boolean | undefined, synthetic: boolean): void {
  if (existing === undefined || existing === synthetic) return;
  throw new OperatorError(
    existing
      ? "this ledger holds demonstration data (--synthetic), and real observations never mix with it: use another ledger"
      : "this ledger holds real observations, and demonstration data (--synthetic) never mixes with them: use another ledger",
  );
}
