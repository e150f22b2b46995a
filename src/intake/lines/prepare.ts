import { type Look, readLook } from "../looks/look.ts";
import { isLook } from "../looks/look-input.ts";
import type { ColumnMap } from "./column-map.ts";
import { csvParser } from "./csv.ts";
import { LineFault, type RejectReason } from "./fault.ts";
import { type LineToAccept, lineToAccept } from "./line-to-accept.ts";
import { ndjsonParser, type ParsedLine } from "./parse-lines.ts";
import { type ReadState, readLines } from "./read-lines.ts";
import { rejectEntry } from "./rejects.ts";
import { checkLine, type IntakeHashes } from "./sighting.ts";

/** A line that is refused, with its entry for the rejects file. */
export interface Refusal {
  readonly line: number;
  readonly reason: RejectReason;
  readonly entry: string;
}

/** Some lines of the input, as far as they can be settled without the ledger. To be read once. */
export interface Prepared<Lines = Iterable<LineToAccept>> {
  readonly lines: number;
  readonly bytesRead: number; // of the input, up to here
  readonly sightings: Lines; // in the order of their keys
  readonly looks: readonly Look[]; // as the sightings
  readonly refusals: readonly Refusal[];
  readonly damage: string | undefined; // how the input ended early, if it did; then this is the last
}

export interface Preparation {
  readonly map: ColumnMap | undefined; // without one the input is NDJSON
  readonly batchLines: number;
  readonly encoding?: string | undefined; // UTF-8 unless given
  readonly hashes: IntakeHashes;
  readonly now: () => number; // ms, decides what is in the future
}

/** Reads, parses and checks the bytes of one file, batch by batch. Throws OperatorError when map and header do not fit. */
export async function* prepare(
  source: AsyncIterable<Uint8Array>,
  preparation: Preparation,
): AsyncGenerator<Prepared<readonly LineToAccept[]>> {
  const { map, batchLines, encoding } = preparation;
  const state: ReadState = { bytesRead: 0, damage: undefined };
  const parser = map === undefined ? ndjsonParser : csvParser(map);
  let batch: ParsedLine[] = [];
  for await (const lines of readLines(source, state, encoding)) {
    for (const line of parser.push(lines)) {
      batch.push(line);
      if (batch.length < batchLines) continue;
      yield prepared(batch, preparation, { ...state, damage: undefined });
      batch = [];
    }
  }
  batch.push(...parser.end());
  if (batch.length > 0 || state.damage !== undefined) yield prepared(batch, preparation, state);
}

function prepared(
  batch: readonly ParsedLine[],
  { hashes, now }: Preparation,
  { bytesRead, damage }: ReadState,
): Prepared<readonly LineToAccept[]> {
  const refusals: Refusal[] = [];
  const sightings: LineToAccept[] = [];
  const looks: Look[] = [];
  const instant = now();
  for (const line of batch) {
    const value = "value" in line ? line.value : undefined;
    try {
      if ("fault" in line) throw line.fault;
      if (isLook(value)) looks.push(readLook(line.number, value, hashes, instant));
      else sightings.push(lineToAccept(checkLine(line.number, value, hashes, instant)));
    } catch (error) {
      refusals.push(refusal(line.number, error, value));
    }
  }
  // In the order of a keyed hash: it keeps the look-up table's writes together, and those that take the lines in later.
  sightings.sort(byKey);
  looks.sort(byKey);
  return { lines: batch.length, bytesRead, sightings, looks, refusals, damage };
}

function byKey(a: Pick<LineToAccept, "key" | "line">, b: Pick<LineToAccept, "key" | "line">): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.line - b.line;
}

/** Rethrows what is not the line's own fault. */
export function refusal(line: number, error: unknown, value: unknown): Refusal {
  if (!(error instanceof LineFault)) throw error;
  return { line, reason: error.reason, entry: rejectEntry(line, error, value) };
}
