import { parse } from "csv-parse/sync";
import { OperatorError } from "../../kernel/errors.ts";
import { type ColumnMap, compileMap, type MapOptions, type RowMapper } from "./column-map.ts";
import { LineFault } from "./fault.ts";
import { type Line, type LineParser, MAX_LINE_BYTES, type ParsedLine } from "./read-lines.ts";

interface Record {
  readonly number: number;
  readonly text: string;
}

/**
 * Reads CSV (RFC 4180) through a column map. The first line that the map does not skip is the header. A quote out of place, and one that is opened and not
 * closed within 64 kB, cost their own line only: reading goes on with the next.
 * Throws OperatorError when the header cannot be read, or does not fit the map. It may be a line of data: no cell of it is told.
 */
export function csvParser(map: ColumnMap, options: MapOptions = {}): LineParser {
  let mapper = map.header === undefined ? undefined : compileMap(map, map.header, options);
  let header: string | undefined;
  let open: Line[] = []; // the lines of a record whose quote is still open

  function collect(lines: readonly Line[], atEnd: boolean): ParsedLine[] {
    const parsed: ParsedLine[] = [];
    let records: Record[] = [];
    const flush = () => {
      parsed.push(...readRecords(records));
      records = [];
    };
    const queue = [...open, ...lines.filter(({ number }) => number > map.skip_lines)];
    open = [];
    for (let at = 0; at < queue.length; ) {
      const taken = takeRecord(queue, at, map.delimiter, atEnd);
      if (taken === undefined) {
        open = queue.slice(at);
        break;
      }
      at += taken.lines;
      if ("record" in taken) records.push(taken.record);
      else {
        flush();
        parsed.push(refused(taken.refused));
      }
    }
    flush();
    return parsed;
  }

  function refused(line: Refused): ParsedLine {
    if (mapper === undefined) throw unreadableHeader(line);
    return line;
  }

  function readRecords(records: readonly Record[]): ParsedLine[] {
    if (records.length === 0) return [];
    const rows = parseRecords(records, map.delimiter);
    return records.flatMap((record, at) => {
      const { number } = record;
      const cells = rows[at];
      if (mapper === undefined) {
        mapper = compileMap(map, headerOf(record, cells), options);
        header = record.text;
        return [];
      }
      if (record.text === header) return []; // files that were put together have it again
      return [cells === undefined ? { number, fault: misplaced } : mappedLine(number, cells, mapper)];
    });
  }

  return { push: (lines) => collect(lines, false), end: () => collect([], true) };
}

function headerOf({ number, text }: Record, cells: string[] | undefined): string[] {
  if (cells === undefined) throw unreadableHeader({ number, fault: misplaced });
  if (!text.includes("\r")) return cells;
  throw new OperatorError(
    `line ${number}, the header, has carriage returns: the file mixes line endings: save it with line feeds`,
  );
}

function unreadableHeader({ number, fault }: Refused): OperatorError {
  return new OperatorError(
    fault.reason === "invalid_encoding"
      ? `line ${number} is not UTF-8: give its encoding (--encoding, or "encoding" in the column map), for example windows-1252`
      : `line ${number}, the header, cannot be read: ${fault.message}`,
  );
}

function mappedLine(number: number, cells: readonly string[], mapper: RowMapper): ParsedLine {
  if (cells.length === mapper.columns) return { number, ...mapper.read(cells) };
  const message = `the line has ${cells.length} cells, the header ${mapper.columns}`;
  return { number, fault: new LineFault("column_count", null, message) };
}

type Refused = Extract<ParsedLine, { fault: LineFault }>;
type Taken =
  | { readonly lines: number; readonly record: Record }
  | { readonly lines: number; readonly refused: Refused };

/** The record that starts at a line of the queue; undefined while its end has not come. */
function takeRecord(
  queue: readonly Line[],
  start: number,
  delimiter: string,
  atEnd: boolean,
): Taken | undefined {
  const first = queue[start];
  if (first === undefined) return undefined;
  if ("fault" in first) return { lines: 1, refused: first };
  let text = first.text;
  let inside = endsInQuotes(text, false, delimiter);
  for (let at = start + 1; inside; at++) {
    const next = queue[at];
    if (next === undefined && !atEnd) return undefined;
    if (next === undefined || "fault" in next || text.length + next.text.length > MAX_LINE_BYTES)
      return { lines: 1, refused: { number: first.number, fault: unclosed } };
    text += `\n${next.text}`;
    inside = endsInQuotes(next.text, true, delimiter);
    if (!inside) return { lines: at - start + 1, record: { number: first.number, text } };
  }
  return { lines: 1, record: { number: first.number, text } };
}

const misplaced = new LineFault(
  "malformed_quote",
  null,
  'a quote is out of place: a cell with quotes is quoted as a whole, and each quote in it is doubled ("5"" Pipe")',
);
const unclosed = new LineFault("unclosed_quote", null, "a quote is opened here and not closed within 64 kB");

/** Whether a quoted cell is still open at the end of a line. A quote opens a cell only at its very start. */
function endsInQuotes(line: string, insideAtStart: boolean, delimiter: string): boolean {
  let inside = insideAtStart;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (!inside) inside = at === 0 || line[at - 1] === delimiter;
    else if (line[at + 1] === '"') at += 1;
    else inside = false;
  }
  return inside;
}

/**
 * One row of cells per record; none for a record with a quote out of place. All at once is ten times as fast as one by one, so such
 * records are searched for by halves.
 */
function parseRecords(records: readonly Record[], delimiter: string): (string[] | undefined)[] {
  const together = tryParse(records.map(({ text }) => text).join("\n"), delimiter);
  if (together?.length === records.length) return together;
  if (records.length <= 1) return [undefined];
  const half = records.length >> 1;
  return [records.slice(0, half), records.slice(half)].flatMap((some) => parseRecords(some, delimiter));
}

function tryParse(text: string, delimiter: string): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: "\n" });
  } catch {
    return undefined;
  }
}
