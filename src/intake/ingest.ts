import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { IngestRun, type IngestSummary } from "./ingest-run.ts";
import type { IntakeLedger } from "./intake-ledger.ts";
import type { ColumnMap } from "./lines/column-map.ts";
import { type Prepared, prepare } from "./lines/prepare.ts";
import { prepareInThread } from "./lines/prepare-in-thread.ts";
import { ignoredText } from "./lines/read-lines.ts";
import type { RejectSink } from "./lines/rejects.ts";
import { intakeHashes } from "./lines/sighting.ts";

export interface IngestOptions {
  readonly ledger: IntakeLedger;
  /** The bytes of one file, plain or gzip, and what to call it in messages. */
  readonly source: AsyncIterable<Uint8Array>;
  readonly name: string;
  /** How to read CSV; without a map the input is NDJSON. */
  readonly map?: ColumnMap | undefined;
  /** Of the text, as `encodingName` gives it; UTF-8 unless given. */
  readonly encoding?: string | undefined;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly rejects: RejectSink;
  /** Lines in one transaction; more for a large file unless given. */
  readonly batchLines?: number | undefined;
  /** Worth a second thread, which takes a tenth of a second to start. */
  readonly isLarge?: boolean;
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
 * Accepted lines become rows when their UTC day is over and the seal takes it in (see `takeIn`). Throws OperatorError, after committing what could be read, when the file is cut off or damaged;
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
      `${name}: the file is cut off or damaged (${damage}): ${done(run.summary())}; get it whole and run it again`,
    );
  run.end();
  return run.summary();
}

function batches(options: IngestOptions): AsyncGenerator<Prepared> {
  const { source, map, encoding, ledger, isLarge = false } = options;
  const { batchLines = isLarge ? LARGE_BATCH_LINES : BATCH_LINES } = options;
  const { purposeKey } = ledger;
  const now = () => ledger.now();
  return isLarge
    ? prepareInThread(source, { map, batchLines, encoding, purposeKey, now })
    : prepare(source, { map, batchLines, encoding, hashes: intakeHashes(purposeKey), now });
}

function explained(error: unknown, name: string, summary: IngestSummary): unknown {
  if (error instanceof OperatorError)
    return new OperatorError(`${name}: ${error.message} (${done(summary)})`, { cause: error });
  if (!hasErrorCode(error, "ENOSPC")) return error;
  return new OperatorError(`${name}: the disk is full: ${done(summary)}; free some space and run it again`, {
    cause: error,
  });
}

function done({ read, accepted, looks, known, rejected }: IngestSummary): string {
  return `${read} lines were read up to there: ${accepted + looks} accepted, ${known} known, ${rejected} rejected`;
}
