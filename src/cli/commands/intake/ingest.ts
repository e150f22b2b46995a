import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { progressBar } from "../../../build/progress.ts";
import { BATCH_LINES, ingest } from "../../../intake/ingest.ts";
import type { IngestSummary } from "../../../intake/ingest-run.ts";
import { type ColumnMap, parseColumnMap } from "../../../intake/lines/column-map.ts";
import { openRejectsFile } from "../../../intake/lines/rejects.ts";
import { classifier, loadClassifierReference } from "../../../intake/matching/classify.ts";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, openWriter, printResult } from "../../../operations/context.ts";

interface IngestOptions {
  readonly map?: string;
  readonly synthetic?: boolean;
  readonly dryRun?: boolean;
  readonly rejects?: string;
  readonly batch: number;
  readonly clock?: string;
  readonly json?: boolean;
}

const MOST_LINES = 100_000;
/** Files of some ten thousand lines and more are read by a thread of their own. */
const LARGE_BYTES = 4 << 20;
const READ_BYTES = 4 << 20;

export function defineIngest(command: Command, context: CommandContext): void {
  command
    .argument("<file...>")
    .option(
      "--map <file>",
      "how to read CSV: columns, templates, constants, date format (see docs/operations.md)",
    )
    .option("--synthetic", "mark every row as demonstration data")
    .option("--dry-run", "say what would happen, and write nothing but the rejects")
    .option(
      "--rejects <file>",
      "where lines that cannot be taken are explained (default: FILE.rejects.ndjson)",
    )
    .option("--batch <lines>", "lines committed together", lineCount, BATCH_LINES)
    .option("--clock <time>", "time of acceptance; not for production ledgers")
    .option("--json", "print a summary per file as JSON, and on stderr the totals after each commit")
    .action(async (files: string[], options: IngestOptions) => {
      assertFiles(files, options);
      const map = options.map === undefined ? undefined : readMap(options.map);
      using ledger = openWriter(context, options.clock);
      const names = classifier(loadClassifierReference());
      for (const file of files) {
        using rejects = openRejects(rejectsPath(file, options));
        const summary = await ingestFile(context, file, { ledger, map, classifier: names, rejects, options });
        printResult(context, options.json, summaryFields(file, summary));
      }
    });
}

interface FileParts {
  readonly ledger: ReturnType<typeof openWriter>;
  readonly map: ColumnMap | undefined;
  readonly classifier: ReturnType<typeof classifier>;
  readonly rejects: ReturnType<typeof openRejectsFile>;
  readonly options: IngestOptions;
}

async function ingestFile(context: CommandContext, file: string, parts: FileParts): Promise<IngestSummary> {
  const bar = progressBar(context.stderr, file);
  try {
    const size = file === "-" ? 0 : statSync(file).size;
    return await ingest({
      ...parts,
      source: file === "-" ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES }),
      isLarge: size > LARGE_BYTES,
      name: file,
      synthetic: parts.options.synthetic === true,
      dryRun: parts.options.dryRun === true,
      random: context.random,
      batchLines: parts.options.batch,
      onCommit: (summary, bytesRead) => {
        bar.update(bytesRead, size);
        // What this line counts is in the ledger for good, whatever becomes of this process.
        if (parts.options.json === true)
          context.stderr.write(`${JSON.stringify({ committed: summaryFields(file, summary) })}\n`);
      },
    });
  } finally {
    bar.done();
  }
}

function lineCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_LINES)
    throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_LINES}.`);
  return count;
}

function readMap(path: string): ColumnMap {
  try {
    return parseColumnMap(readFileSync(path, "utf8"), path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    throw new OperatorError(`--map ${path}: there is no such file`, { cause: error });
  }
}

/** Before anything is opened: a rejects file begins empty, and must not be an input. */
function assertFiles(files: readonly string[], { rejects }: IngestOptions): void {
  const missing = files.find((file) => file !== "-" && !existsSync(file));
  if (missing !== undefined) throw new OperatorError(`${missing}: there is no such file`);
  if (rejects === undefined) return;
  if (files.length > 1)
    throw new OperatorError(
      "--rejects is for one input file: leave it out, and each file has a rejects file of its own",
    );
  if (files.some((file) => resolve(file) === resolve(rejects)))
    throw new OperatorError(`--rejects ${rejects}: this is the input; name another file`);
}

function openRejects(path: string): ReturnType<typeof openRejectsFile> {
  try {
    return openRejectsFile(path);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `${path}: rejected lines cannot be written there (${problem}): name another place with --rejects`,
      { cause },
    );
  }
}

function rejectsPath(file: string, options: IngestOptions): string {
  return options.rejects ?? `${file === "-" ? "stdin" : file}.rejects.ndjson`;
}

function summaryFields(file: string, summary: IngestSummary): Record<string, unknown> {
  const { read, accepted, known, held, rejected, rejectedByReason, records, assets } = summary;
  return {
    file,
    read,
    accepted,
    already_known: known,
    held_for_review: held,
    rejected,
    rejected_by_reason: rejectedByReason,
    new_records: records,
    new_assets: assets,
  };
}
