import { isUtf8 } from "node:buffer";
import { OperatorError } from "../../kernel/errors.ts";
import { asUtf8, type EncodingState, gunzip, isGzip, peek, UTF_8, withLineFeeds } from "./decode.ts";
import { LineFault } from "./fault.ts";

/** A line of the input, numbered from 1, without its line end; or what is wrong with it. Blank lines are not lines. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: LineFault };

/** Kept up to date while reading; the reader owns it. */
export interface ReadState extends EncodingState {
  bytesRead: number;
  damage: string | undefined; // how the input ended early, if it did
  ignoredBytes: number; // garbage behind the end of compressed data
}

export function newReadState(): ReadState {
  return { bytesRead: 0, damage: undefined, ignoredBytes: 0, isUtf8: false };
}

export function ignoredText({ ignoredBytes }: Pick<ReadState, "ignoredBytes">): string {
  return `warning: ${ignoredBytes} bytes after the end of the gzip data were ignored`;
}

export const MAX_LINE_BYTES = 65_536;
const NEWLINE = 0x0a;
const BOM = "\uFEFF";

/**
 * Lines of a byte stream, plain or gzip (recognized by its first two bytes), in arrays of one chunk each; `encoding` is that of the
 * text. Lines end with a line feed, with a carriage return before it or not, or all of them with a carriage return alone. A longer
 * line than 64 kB is skipped without being held. When the stream breaks, every complete line before the break is still delivered
 * and `state.damage` is set; the piece of a line at the break is not. Throws OperatorError for what is no text.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  state: ReadState,
  encoding = UTF_8,
): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter();
  try {
    const text = asUtf8(unzipped(source, state), encoding, state);
    for await (const chunk of withLineFeeds(text, MAX_LINE_BYTES)) yield splitter.push(chunk);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof OperatorError) throw error;
    state.damage = error.message;
    return;
  }
  yield splitter.end();
}

async function* counted(source: AsyncIterable<Uint8Array>, state: ReadState): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    state.bytesRead += chunk.length;
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  }
}

async function* unzipped(source: AsyncIterable<Uint8Array>, state: ReadState): AsyncGenerator<Buffer> {
  const { start, all } = await textOf(counted(source, state));
  if (!isGzip(start)) return yield* all;
  const content = gunzip(all, (ignored) => {
    state.ignoredBytes = ignored;
  });
  yield* (await textOf(content)).all;
}

async function textOf(source: AsyncIterable<Buffer>): ReturnType<typeof peek> {
  const peeked = await peek(source, ({ length }) => length >= START_BYTES);
  const other = otherFile(peeked.start);
  if (other !== undefined) throw new OperatorError(`the file is ${other}`);
  return peeked;
}

/** What a file is that has no lines to read, and what to do with it, by its first bytes. */
export function otherFile(start: Buffer): string | undefined {
  const text = start.subarray(0, START_BYTES).toString("latin1");
  return OTHER_FILES.find(([of]) => (typeof of === "string" ? text.startsWith(of) : of.test(text)))?.[1];
}

/** The beginning of a file, decompressed. Throws OperatorError for what is no text, and what reading throws before any of it came. */
export async function firstBytes(source: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of unzipped(source, newReadState())) {
      bytes += pieces.push(piece) > 0 ? piece.length : 0;
      if (bytes >= max) break;
    }
  } catch (error) {
    if (bytes === 0 || error instanceof OperatorError) throw error;
  }
  return Buffer.concat(pieces).subarray(0, max);
}

const START_BYTES = 256;
const ONE_A_LINE = "write one observation a line, for example with `jq -c";
/** What holds no lines of ours: binary formats, and JSON that is not one object a line. */
const OTHER_FILES: readonly (readonly [start: string | RegExp, is: string])[] = [
  ["PK\x03\x04", "a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV"],
  ["\xd0\xcf\x11\xe0", "an Excel workbook: save the sheet as CSV"],
  ["BZh", "compressed with bzip2: decompress it, or compress it with gzip"],
  ["\xfd7zXZ", "compressed with xz: decompress it, or compress it with gzip"],
  ["\x28\xb5\x2f\xfd", "compressed with zstd: decompress it, or compress it with gzip"],
  ["7z\xbc\xaf", "a 7z archive: unpack it"],
  ["Rar!", "a RAR archive: unpack it"],
  ["%PDF-", "a PDF: ask for the table as CSV"],
  [/^(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml|kml|gpx)/i, "a web page or XML: ask for CSV, or lines of JSON"],
  ["SQLite format 3\0", "an SQLite database: export the table as CSV"],
  ["\0".repeat(16), "binary: it begins with zero bytes"],
  [
    /^(\xef\xbb\xbf)?\s*\{\s*"type"\s*:\s*"FeatureCollection"/,
    "GeoJSON: write each feature as a line with the fields of an observation (docs/operations/intake.md)",
  ],
  [/^(\xef\xbb\xbf)?\s*\[\s*\{/, `a JSON array: ${ONE_A_LINE} '.[]' FILE\``],
  [/^(\xef\xbb\xbf)?\s*\{\s*[\r\n]\s*"\w+"\s*:/, `JSON over several lines: ${ONE_A_LINE} . FILE\``],
];

class LineSplitter {
  #number = 0;
  #pending: Buffer[] = []; // the start of a line whose end has not come yet, at most MAX_LINE_BYTES of it
  #pendingBytes = 0;

  push(chunk: Buffer): Line[] {
    const lastEnd = chunk.lastIndexOf(NEWLINE);
    if (lastEnd < 0) {
      this.#hold(chunk);
      return [];
    }
    const firstEnd = chunk.indexOf(NEWLINE);
    this.#hold(chunk.subarray(0, firstEnd));
    const lines: Line[] = [];
    this.#release(lines);
    if (lastEnd > firstEnd) this.#whole(chunk.subarray(firstEnd + 1, lastEnd), lines);
    this.#hold(chunk.subarray(lastEnd + 1));
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    if (this.#pendingBytes > 0) this.#release(lines);
    return lines;
  }

  #hold(piece: Buffer): void {
    if (this.#pendingBytes <= MAX_LINE_BYTES) this.#pending.push(piece);
    else this.#pending.length = 0;
    this.#pendingBytes += piece.length;
  }

  #release(lines: Line[]): void {
    const bytes = Buffer.concat(this.#pending);
    const length = this.#pendingBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    if (length > MAX_LINE_BYTES) this.#refuse(lines, tooLong(length));
    else this.#line(bytes, lines);
  }

  /** Complete lines in one piece: decoded together when all is well, one by one to find the bad one when not. */
  #whole(bytes: Buffer, lines: Line[]): void {
    if (!isUtf8(bytes)) {
      this.#oneByOne(bytes, lines);
      return;
    }
    for (const text of bytes.toString("utf8").split("\n")) {
      if (text.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(text) > MAX_LINE_BYTES)
        this.#refuse(lines, tooLong(Buffer.byteLength(text)));
      else this.#text(text, lines);
    }
  }

  #oneByOne(bytes: Buffer, lines: Line[]): void {
    for (let start = 0; start <= bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline;
      if (end - start > MAX_LINE_BYTES) this.#refuse(lines, tooLong(end - start));
      else this.#line(bytes.subarray(start, end), lines);
      start = end + 1;
    }
  }

  #line(bytes: Buffer, lines: Line[]): void {
    if (isUtf8(bytes)) this.#text(bytes.toString("utf8"), lines);
    else this.#refuse(lines, new LineFault("invalid_encoding", null, "the line is not UTF-8"));
  }

  #text(raw: string, lines: Line[]): void {
    this.#number += 1;
    const withoutMark = this.#number === 1 && raw.startsWith(BOM) ? raw.slice(1) : raw;
    const text = withoutMark.endsWith("\r") ? withoutMark.slice(0, -1) : withoutMark;
    if (text.trim() !== "") lines.push({ number: this.#number, text });
  }

  #refuse(lines: Line[], fault: LineFault): void {
    this.#number += 1;
    lines.push({ number: this.#number, fault });
  }
}

function tooLong(bytes: number): LineFault {
  return new LineFault(
    "line_too_long",
    null,
    `the line has ${bytes} bytes; the maximum is ${MAX_LINE_BYTES}`,
  );
}

/** One record of the input: its value, or what is wrong with it. A record of a CSV file may take several lines. */
export type ParsedLine =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: LineFault; readonly value?: unknown };

/** Turns lines into values. CSV carries a record over from one array of lines to the next, hence `end`. */
export interface LineParser {
  push(lines: readonly Line[]): Iterable<ParsedLine>;
  end(): Iterable<ParsedLine>;
}

export const ndjsonParser: LineParser = {
  // One by one: values that are checked at once die young.
  *push(lines) {
    for (const line of lines) yield parseJsonLine(line);
  },
  end: () => [],
};

function parseJsonLine(line: Line): ParsedLine {
  if ("fault" in line) return line;
  try {
    return { number: line.number, value: JSON.parse(line.text) };
  } catch (error) {
    return { number: line.number, fault: new LineFault("invalid_json", null, brokenAt(error)) };
  }
}

/** The engine's own message quotes the line, private values and all; only the position is taken from it. */
function brokenAt(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined
    ? "the line is not JSON"
    : `the line is not JSON (at character ${Number(position) + 1})`;
}
