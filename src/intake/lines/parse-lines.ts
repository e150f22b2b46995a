import { LineFault } from "./fault.ts";
import type { Line } from "./read-lines.ts";

/** One record of the input: its value, or what is wrong with it. A record of a CSV file may take several lines. */
export type ParsedLine =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly fault: LineFault };

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
