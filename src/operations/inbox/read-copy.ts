import { createReadStream, openSync, statSync } from "node:fs";
import { OUTCOME_BOUNDS, shortfall } from "../../intake/batches.ts";
import { type IngestSummary, ingest } from "../../intake/ingest.ts";
import { type ColumnMap, parseColumnMap } from "../../intake/lines/column-map.ts";
import { gunzip, isGzip, peek } from "../../intake/lines/decode.ts";
import { decideDates } from "../../intake/lines/file-dates.ts";
import { otherFile } from "../../intake/lines/read-lines.ts";
import { openRejectsFile } from "../../intake/lines/rejects.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { SourceMap } from "../../ledger/sources/inbox-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";

/** A file of this size, some ten thousand lines, is read by a thread of its own. */
const LARGE_BYTES = 4 << 20;

/** The copy of a file of the inbox. */
export interface Copy {
  readonly path: string;
  readonly source: string;
  readonly name: string; // that it had
}

/** What the lines of a copy are: CSV, or JSON. By the ending of the name where that says it, else by the first character. */
export async function isCsv({ path, name }: Pick<Copy, "path" | "name">): Promise<boolean> {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (["csv", "tsv", "txt"].includes(ending)) return true;
  if (["ndjson", "jsonl", "json"].includes(ending)) return false;
  return !/^[\s\uFEFF]*[{[]/.test((await firstBytes(path)).toString("utf8"));
}

/** Whether the file has text of a table, and not nothing or what says of itself that it is something else. */
export async function isTable(path: string): Promise<boolean> {
  const start = await firstBytes(path);
  return start.some((byte) => byte > 0x20) && otherFile(start) === undefined;
}

const SNIFFED = 4096;

async function firstBytes(path: string): Promise<Buffer> {
  const stream = createReadStream(path, { highWaterMark: SNIFFED });
  try {
    const { start, all } = await peek(stream, ({ length }) => length >= 2);
    if (!isGzip(start)) return start;
    for await (const piece of gunzip(asBuffers(all), () => undefined)) return piece;
    return start;
  } catch (error) {
    if (error instanceof Error && !("syscall" in error)) return Buffer.alloc(0); // damaged: reading it says so
    throw error;
  } finally {
    stream.destroy();
  }
}

async function* asBuffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

interface ReadOptions {
  readonly ledger: LedgerWriter;
  readonly rejectsPath: string;
  readonly onCommit: (summary: IngestSummary, bytesRead: number) => void;
  readonly onWarning: (message: string) => void;
}

/** Ingests the copy, every line as one of its source. Throws OperatorError as `ingest` does, and for a file that brought too little. */
export async function readCopy(
  copy: Copy,
  { map: text, encoding }: Pick<SourceMap, "map" | "encoding">,
  { ledger, rejectsPath, ...told }: ReadOptions,
): Promise<IngestSummary> {
  const { path, source } = copy;
  const map = text !== null && (await isCsv(copy)) ? await decided(copy, text, encoding) : undefined;
  using rejects = openRejectsFile(rejectsPath);
  const isLarge = statSync(path).size > LARGE_BYTES;
  const summary = await ingest({
    ...{ ledger, map, rejects, ...told },
    name: labelOf(copy),
    source: isLarge ? { largeFile: openSync(path, "r") } : createReadStream(path),
    encoding: encoding ?? undefined,
    ofSource: source,
    synthetic: ledger.intake.isSynthetic() ?? ledger.meta.environment === "demo",
    dryRun: false,
  });
  // Suppliers deliver what they delivered before: that most of it is known is no fault.
  const fault = shortfall(summary, { ...OUTCOME_BOUNDS, maxKnown: 1 });
  if (fault !== undefined) throw new OperatorError(fault);
  return summary;
}

/** What a batch calls its file; that of a folder has no name. */
export function labelOf({ source, name }: Pick<Copy, "source" | "name">): string {
  return ["inbox", source, name].filter((part) => part !== "").join("/");
}

async function decided(copy: Copy, text: string, encoding: string | null): Promise<ColumnMap> {
  const map = parseColumnMap(text, `source ${copy.source}`);
  return decideDates(map, createReadStream(copy.path), {
    name: labelOf(copy),
    encoding: encoding ?? undefined,
  });
}
