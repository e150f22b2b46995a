import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { BATCH_LINES, ingest } from "../../../intake/ingest.ts";
import type { IngestSummary } from "../../../intake/ingest-run.ts";
import { parseColumnMap } from "../../../intake/lines/column-map.ts";
import { openRejectsFile } from "../../../intake/lines/rejects.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { assertFilesExist, readNamedFile } from "../../../kernel/files/named-file.ts";
import { type CommandContext, openWriter, printResult } from "../../../operations/context.ts";
import { CLOCK_OPTION, whole } from "../../command.ts";

const MAX_BATCH_LINES = 100_000;
/** A file of this size, some ten thousand lines, is read by a thread of its own. */
const LARGE_BYTES = 4 << 20;
const READ_BYTES = 4 << 20;

interface IngestOptions {
  readonly synthetic?: boolean;
  readonly dryRun?: boolean;
  readonly rejects?: string | undefined;
  readonly batch: number;
  readonly json?: boolean | undefined;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<file...>")
    .option(
      "--map <file>",
      "how to read CSV: columns, templates, constants, date format (see docs/operations/intake.md)",
    )
    .option("--synthetic", "mark every row as demonstration data")
    .option("--dry-run", "report what would be accepted, and write only the rejects file")
    .option("--rejects <file>", "file that explains rejected lines (default: FILE.rejects.ndjson)")
    .option("--batch <lines>", "lines per commit", whole("--batch", MAX_BATCH_LINES), BATCH_LINES)
    .option(...CLOCK_OPTION)
    .option("--json", "print a summary per file as JSON, and on stderr the totals after each commit")
    .action(async (files, { map: mapFile, clock, ...options }) => {
      assertInputs(files, options.rejects);
      const map =
        mapFile === undefined ? undefined : parseColumnMap(readNamedFile(mapFile, "--map"), mapFile);
      using ledger = openWriter(context, clock);
      const deps = { ledger, map };
      for (const file of files) {
        using rejects = openRejects(rejectsPath(file, options.rejects));
        const summary = await ingestFile(context, file, { ...deps, rejects }, options);
        printResult(context, options.json, summaryFields(file, summary));
        warnAboutSources(context, summary);
      }
    });
}

type IngestDeps = Pick<Parameters<typeof ingest>[0], "ledger" | "map" | "rejects">;

function ingestFile(
  context: CommandContext,
  file: string,
  deps: IngestDeps,
  { synthetic = false, dryRun = false, batch, json }: IngestOptions,
): Promise<IngestSummary> {
  const size = file === "-" ? 0 : statSync(file).size;
  return withProgress(context, file, (update) =>
    ingest({
      ...deps,
      source: file === "-" ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES }),
      isLarge: size > LARGE_BYTES,
      name: file,
      synthetic,
      dryRun,
      batchLines: batch,
      onCommit: (summary, bytesRead) => {
        update(bytesRead, size);
        // The lines counted here are kept permanently, even if this process is killed.
        if (json) context.stderr.write(`${JSON.stringify({ committed: summaryFields(file, summary) })}\n`);
      },
    }),
  );
}

/** Checks before anything is opened, because opening truncates the rejects file, which must not be an input. */
function assertInputs(files: readonly string[], rejects: string | undefined): void {
  assertFilesExist(files.filter((file) => file !== "-"));
  if (rejects === undefined) return;
  if (files.length > 1)
    throw new OperatorError(
      "--rejects works with one input file only: without it, each input has its own rejects file",
    );
  if (files.some((file) => resolve(file) === resolve(rejects)))
    throw new OperatorError(`--rejects ${rejects} is the input: name another file`);
}

function openRejects(path: string): ReturnType<typeof openRejectsFile> {
  try {
    return openRejectsFile(path);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(
      `${path}: the rejects file cannot be written (${problem}): name another file with --rejects`,
      { cause },
    );
  }
}

function rejectsPath(file: string, option: string | undefined): string {
  return option ?? `${file === "-" ? "stdin" : file}.rejects.ndjson`;
}

function warnAboutSources({ stderr }: CommandContext, { withoutSource }: IngestSummary): void {
  if (withoutSource === 0) return;
  stderr.write(
    `${withoutSource.toLocaleString("en-US")} accepted lines name no source: all such lines together count as one principal (see docs/operations/sources.md)\n`,
  );
}

function summaryFields(file: string, summary: IngestSummary): Record<string, unknown> {
  const { read, accepted, looks, known, rejected, withoutSource, rejectedByReason, batch } = summary;
  return {
    file,
    read,
    accepted,
    looks_accepted: looks,
    already_known: known,
    rejected,
    rejected_by_reason: rejectedByReason,
    without_source: withoutSource,
    batch,
  };
}
