import { constants, createReadStream, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { OUTCOME_BOUNDS, shortfall } from "../../intake/batches.ts";
import { approvalNote } from "../../intake/brake.ts";
import { type IngestSummary, ingest } from "../../intake/ingest.ts";
import { type ColumnMap, parseColumnMap } from "../../intake/lines/column-map.ts";
import { decideDates, hasTwoReadings } from "../../intake/lines/file-dates.ts";
import { openRejectsFile } from "../../intake/lines/rejects.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { assertReadable, openNamed, readNamedFile } from "../../kernel/files/foreign-file.ts";
import { jsonText, shellLine } from "../../kernel/text/terminal.ts";
import { type Bare, type Call, command } from "../command.ts";
import { encodingOption, whole } from "../options.ts";
import { noted, type Output, shown } from "../output.ts";

const MAX_BATCH_LINES = 100_000;
/** A file of this size, some ten thousand lines, is read by a thread of its own. */
const LARGE_BYTES = 4 << 20;
const READ_BYTES = 4 << 20;

interface IngestOptions {
  readonly synthetic?: boolean;
  readonly dryRun?: boolean;
  readonly rejects?: string | undefined;
  readonly batch?: number;
  readonly encoding?: string | undefined;
  readonly maxRejected: number;
  readonly maxKnown: number;
}

const ingestFiles = command({
  path: "ingest",
  takes: (bare: Bare) =>
    bare
      .argument("<file...>")
      .option(
        "--map <file>",
        "how to read CSV: columns, templates, constants, date format (see docs/operations/intake.md)",
      )
      .option("--synthetic", "mark every row as demonstration data")
      .option("--dry-run", "report what would be accepted, and write only the rejects file")
      .option("--rejects <file>", "file that explains rejected lines (default: FILE.rejects.ndjson)")
      .option(
        "--encoding <label>",
        "encoding of the text: utf-8, windows-1252, iso-8859-2, …",
        encodingOption,
      )
      .option("--delimiter <character>", 'between the cells of CSV: one character, or "tab"', delimiterOf)
      .option(
        "--max-rejected <share>",
        "largest share of the lines that may be rejected",
        shareOf("--max-rejected"),
        OUTCOME_BOUNDS.maxRejected,
      )
      .option(
        "--max-known <share>",
        "largest share of already known lines in a file with new ones",
        shareOf("--max-known"),
        OUTCOME_BOUNDS.maxKnown,
      )
      .option("--batch <lines>", "lines per commit", whole("--batch", MAX_BATCH_LINES)),
  access: "write",
  clock: "writes rows",
  json: "print a summary per file as JSON, and on stderr the totals after each commit",
  help: `
Exit code 0: every file brought what it should, or was ingested before. 1: a file is empty or damaged, nothing or too little
of it came in, or its dates can be read in two ways. What was accepted stays: see \`presence batch list\`, or undo it
with \`presence batch undo\`.`,
  prepare(_, { map: mapFile, delimiter, ...options }, files) {
    assertInputs(files, options.rejects, mapFile !== undefined);
    const map = mapFile === undefined ? undefined : columnMap(mapFile, delimiter);
    return (call) => ingestAll(call, files, map, options);
  },
});

async function* ingestAll(
  call: Call<"write">,
  files: readonly string[],
  map: ColumnMap | undefined,
  options: IngestOptions,
): AsyncGenerator<Output> {
  const { ledger } = call;
  const failures: string[] = [];
  for (const file of files) {
    const decided = map === undefined ? undefined : await decidedMap(map, file, options.encoding);
    using rejects = openRejects(rejectsPath(file, options.rejects));
    const summary = await ingestFile(call, file, { ledger, map: decided, rejects }, options);
    yield noted(summaryFields(file, summary), ...notesOn(call, summary));
    const failure = shortfall(summary, options);
    const where = summary.rejected > 0 ? `: ${rejectsPath(file, options.rejects)} says why` : "";
    if (failure !== undefined) failures.push(`${file}: ${failure}${where}`);
  }
  const [first, ...lines] = failures;
  if (first !== undefined) throw new OperatorError(first, { lines });
}

export const commands = [ingestFiles];

function columnMap(file: string, delimiter: string | undefined): ColumnMap {
  const map = parseColumnMap(readNamedFile(file, "--map"), file);
  return delimiter === undefined ? map : { ...map, delimiter };
}

/** The map with the form that the dates of the file have. */
async function decidedMap(map: ColumnMap, file: string, encoding: string | undefined): Promise<ColumnMap> {
  if (file !== "-") return decideDates(map, readFile(file), { name: file, encoding });
  if (!hasTwoReadings(map)) return map;
  throw new OperatorError(
    'standard input is read once, so its dates cannot decide between the two forms in "date_formats": keep one of them, or name a file',
  );
}

function smallInput(file: string): AsyncIterable<Uint8Array> {
  return file === "-" ? process.stdin : readFile(file);
}

function readFile(file: string): AsyncIterable<Uint8Array> {
  return createReadStream("", { fd: openNamed(file, constants.O_RDONLY), highWaterMark: READ_BYTES });
}

function delimiterOf(text: string): string {
  const character = text === "tab" || text === "\\t" ? "\t" : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new OperatorError(`--delimiter must be one character, or "tab" (got ${text})`);
}

function shareOf(option: string): (text: string) => number {
  return (text) => {
    const share = Number(text);
    if (text.trim() !== "" && share >= 0 && share <= 1) return share;
    throw new OperatorError(`${option} must be a share from 0 to 1 (got ${text})`);
  };
}

type IngestDeps = Pick<Parameters<typeof ingest>[0], "ledger" | "map" | "rejects">;

function ingestFile(
  { context, json, progress }: Call<"write">,
  file: string,
  deps: IngestDeps,
  { synthetic = false, dryRun = false, batch, encoding }: IngestOptions,
): Promise<IngestSummary> {
  const size = file === "-" ? 0 : statSync(file).size;
  return progress(file, (update) =>
    ingest({
      ...deps,
      source: size > LARGE_BYTES ? { largeFile: openNamed(file, constants.O_RDONLY) } : smallInput(file),
      name: file,
      encoding,
      synthetic,
      dryRun,
      batchLines: batch,
      onWarning: (message) => context.stderr.write(`${file}: ${message}\n`),
      onCommit: (summary, bytesRead) => {
        update(bytesRead, size);
        // The lines counted here are kept permanently, even if this process is killed.
        if (json) context.stderr.write(`${jsonText({ committed: summaryFields(file, summary) })}\n`);
      },
    }),
  );
}

/** Checks before anything is opened, because opening truncates the rejects file, which must not be an input. */
function assertInputs(files: readonly string[], rejects: string | undefined, hasMap: boolean): void {
  for (const file of files) if (file !== "-") assertInput(file, hasMap);
  if (rejects === undefined) return;
  if (files.length > 1)
    throw new OperatorError(
      "--rejects works with one input file only: without it, each input has its own rejects file",
    );
  if (files.some((file) => resolve(file) === resolve(rejects)))
    throw new OperatorError(`--rejects ${rejects} is the input: name another file`);
}

const CSV_NAME = /\.(csv|tsv)(\.gz)?$/i;

function assertInput(file: string, hasMap: boolean): void {
  assertReadable(file);
  if (statSync(file).isDirectory())
    throw new OperatorError(
      `${file}: it is a folder: name the files in it, for example ${join(file, "*.csv")}`,
    );
  if (!hasMap && CSV_NAME.test(file))
    throw new OperatorError(
      `${file}: CSV needs a column map: \`${shellLine(["presence", "map", "suggest", file])} > map.json\` writes one; then --map map.json`,
    );
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

/** What waits for the operator is said at once, before the night says so. */
function notesOn({ ledger, context }: Call<"write">, summary: IngestSummary): string[] {
  const approval = approvalNote(ledger, summary.batch, context.config.strictness);
  return [...sourceWarning(summary), ...categoryNote(summary), ...approval];
}

const NAMED_CATEGORIES = 20;

function categoryNote({ unknownCategories }: IngestSummary): string[] {
  if (unknownCategories.length === 0) return [];
  const named = unknownCategories
    .slice(0, NAMED_CATEGORIES)
    .map(([category, lines]) => `${category} (${lines})`);
  const more = unknownCategories.length - named.length;
  return [
    `"industry_map" of the column map lacks these categories, and their lines have no industry: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}: \`presence industry search WORD\` finds codes`,
  ];
}

function sourceWarning({ withoutSource }: IngestSummary): string[] {
  if (withoutSource === 0) return [];
  return [
    `${withoutSource.toLocaleString("en-US")} accepted lines name no source: all such lines together count as one principal (see docs/operations/sources.md)`,
  ];
}

function summaryFields(file: string, summary: IngestSummary): Record<string, unknown> {
  return {
    file,
    ...shown(summary, "read", "accepted"),
    looks_accepted: summary.looks,
    already_known: summary.known,
    ...shown(summary, "rejected", "rejectedByReason", "withoutSource", "batch"),
  };
}
