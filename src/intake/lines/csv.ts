import { parse } from "csv-parse/sync";
import { type ColumnMap, compileMap, type RowMapper } from "./column-map.ts";
import { LineFault } from "./fault.ts";
import type { LineParser, ParsedLine } from "./parse-lines.ts";
import { type Line, MAX_LINE_BYTES } from "./read-lines.ts";

interface Record {
  readonly number: number;
  readonly text: string;
}

/**
 * Reads CSV (RFC 4180; a quote inside an unquoted cell is taken literally) through a column map. The first line is the header.
 * A quote that is opened and not closed within 64 kB costs its own line only: reading goes on with the next.
 * Throws OperatorError when map and header do not fit.
 */
export function csvParser(map: ColumnMap): LineParser {
  let mapper: RowMapper | undefined;
  let open: Line[] = []; // the lines of a record whose quote is still open

  function collect(lines: readonly Line[], atEnd: boolean): ParsedLine[] {
    const parsed: ParsedLine[] = [];
    let records: Record[] = [];
    const flush = () => {
      parsed.push(...readRecords(records));
      records = [];
    };
    const queue = [...open, ...lines];
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
        parsed.push(taken.refused);
      }
    }
    flush();
    return parsed;
  }

  function readRecords(records: readonly Record[]): ParsedLine[] {
    if (records.length === 0) return [];
    const rows = parseRecords(records, map.delimiter);
    return records.flatMap(({ number }, at) => {
      const cells = rows[at] ?? [];
      if (mapper !== undefined) return [mappedLine(number, cells, mapper)];
      mapper = compileMap(map, cells);
      return [];
    });
  }

  return { push: (lines) => collect(lines, false), end: () => collect([], true) };
}

function mappedLine(number: number, cells: readonly string[], mapper: RowMapper): ParsedLine {
  if (cells.length === mapper.columns) return { number, value: mapper.value(cells) };
  const message = `the line has ${cells.length} cells, the header ${mapper.columns}`;
  return { number, fault: new LineFault("column_count", null, message) };
}

type Taken =
  | { readonly lines: number; readonly record: Record }
  | { readonly lines: number; readonly refused: ParsedLine };

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

/** One row of cells per record. All at once is ten times as fast; when that fails, one by one. */
function parseRecords(records: readonly Record[], delimiter: string): string[][] {
  const together = tryParse(records.map(({ text }) => text).join("\n"), delimiter);
  if (together?.length === records.length) return together;
  return records.map(({ text }) => tryParse(text, delimiter)?.[0] ?? []);
}

function tryParse(text: string, delimiter: string): string[][] | undefined {
  try {
    return parse(text, { delimiter, relax_quotes: true, relax_column_count: true, record_delimiter: "\n" });
  } catch {
    return undefined;
  }
}
