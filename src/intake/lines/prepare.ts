import { closeSync } from "node:fs";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import type { PurposeKey } from "../../ledger/keys/keys.ts";
import { AnsweringThread, keysForThread, ThreadKeys } from "../answering-thread.ts";
import { isLook, type Look, readLook } from "../looks/look.ts";
import { type CategoryCounts, ColumnMap, UnknownCategories } from "./column-map.ts";
import { csvParser } from "./csv.ts";
import { LineFault, type RejectReason } from "./fault.ts";
import { Midnights } from "./file-dates.ts";
import { ndjsonParser, newReadState, type ParsedLine, type ReadState, readLines } from "./read-lines.ts";
import { rejectEntry } from "./rejects.ts";
import { checkLine, type IntakeHashes, type LineToAccept, unpackLinesToAccept } from "./sighting.ts";

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
  readonly ignoredBytes: number; // garbage behind the end of compressed data, told with the last
  readonly unknownCategories: CategoryCounts; // of all lines up to here
}

export interface Preparation {
  readonly map?: ColumnMap | undefined; // without one the input is NDJSON
  readonly batchLines: number;
  readonly encoding?: string | undefined; // UTF-8 unless given
  readonly source?: string | undefined; // whose file it is: no line is of another one
  readonly hashes: IntakeHashes;
  readonly now: () => number; // ms, decides what is in the future
}

/** Reads, parses and checks the bytes of one file, batch by batch. Throws OperatorError when map and header do not fit, or the whole file is not what it should be. */
export async function* prepare(
  source: AsyncIterable<Uint8Array>,
  preparation: Preparation,
): AsyncGenerator<Prepared<readonly LineToAccept[]>> {
  const { map, batchLines, encoding, source: owner, hashes, now } = preparation;
  const state = newReadState();
  const categories = new UnknownCategories();
  const parser = map === undefined ? ndjsonParser : csvParser(map, { onUnknownCategory: categories.add });
  const midnights = new Midnights(map);
  const assertReadable = () => {
    midnights.assertTimes();
    if (state.isUtf8)
      throw new OperatorError(
        `--encoding ${encoding}: the file is UTF-8: omit --encoding, or "encoding" in the column map`,
      );
  };
  let batch = new Batch(hashes);
  for await (const lines of readLines(source, state, encoding)) {
    const instant = now();
    for (const line of parser.push(lines)) {
      batch.add(midnights.add(ofSource(line, owner)), instant);
      if (batch.lines < batchLines || midnights.isOpen(batch.lines)) continue;
      assertReadable();
      yield batch.prepared({ ...state, damage: undefined, ignoredBytes: 0 }, categories.counts());
      batch = new Batch(hashes);
    }
  }
  const instant = now();
  for (const line of parser.end()) batch.add(midnights.add(ofSource(line, owner)), instant);
  assertReadable();
  if (batch.lines > 0 || state.damage !== undefined || state.ignoredBytes > 0)
    yield batch.prepared(state, categories.counts());
}

/** The line of the source whose file it is; one that names another source is refused. */
function ofSource(line: ParsedLine, source: string | undefined): ParsedLine {
  if (source === undefined || !("value" in line)) return line;
  const { number, value } = line;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return line;
  const named = "source" in value ? value.source : undefined;
  if (named === source) return line;
  if (named === undefined || named === null || named === "") return { number, value: { ...value, source } };
  return { number, fault: new LineFault("other_source", "source", `the file is one of source ${source}`) };
}

/** What a thread that prepares is started with. */
export const ThreadTask = z.object({
  fd: z.int(),
  map: ColumnMap.optional(),
  batchLines: z.int(),
  encoding: z.string().optional(),
  source: z.string().optional(),
  keys: ThreadKeys,
});

export type PackedBatch = Prepared<readonly string[]>;

/** The same batches, made by a thread while the caller commits: a large file takes two cores. Closes the file. */
export async function* prepareInThread(
  fd: number,
  { now, purposeKey, ...task }: Omit<Preparation, "hashes"> & { readonly purposeKey: PurposeKey },
): AsyncGenerator<Prepared> {
  try {
    const script = new URL("./prepare-worker.ts", import.meta.url);
    const keys = keysForThread(purposeKey);
    await using thread = new AnsweringThread<number, PackedBatch>(script, { ...task, fd, keys });
    for await (const batch of thread.answers(now))
      yield { ...batch, sightings: unpackLinesToAccept(batch.sightings) };
  } finally {
    closeSync(fd);
  }
}

/** Lines that are checked as they come. */
class Batch {
  readonly #hashes: IntakeHashes;
  readonly #sightings: LineToAccept[] = [];
  readonly #looks: Look[] = [];
  readonly #refusals: Refusal[] = [];
  #lines = 0;

  constructor(hashes: IntakeHashes) {
    this.#hashes = hashes;
  }

  get lines(): number {
    return this.#lines;
  }

  /** `instant` in ms decides what is in the future. */
  add(line: ParsedLine, instant: number): void {
    this.#lines += 1;
    const value = "value" in line ? line.value : undefined;
    try {
      if ("fault" in line) throw line.fault;
      if (isLook(value)) this.#looks.push(readLook(line.number, value, this.#hashes, instant));
      else this.#sightings.push(checkLine(line.number, value, this.#hashes, instant));
    } catch (error) {
      this.#refusals.push(refusal(line.number, error, value));
    }
  }

  /**
   * The lines in the order of a keyed hash: it keeps the look-up table's writes together, and those that take the lines in later.
   * `state` is that of the input up to here.
   */
  prepared(state: Readonly<ReadState>, unknownCategories: CategoryCounts): Prepared<readonly LineToAccept[]> {
    const sightings = this.#sightings.sort(byKey);
    const looks = this.#looks.sort(byKey);
    return { lines: this.#lines, sightings, looks, refusals: this.#refusals, unknownCategories, ...state };
  }
}

function byKey(a: Pick<LineToAccept, "key" | "line">, b: Pick<LineToAccept, "key" | "line">): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.line - b.line;
}

/** Rethrows what is not the line's own fault. */
export function refusal(line: number, error: unknown, value: unknown): Refusal {
  if (!(error instanceof LineFault)) throw error;
  return { line, reason: error.reason, entry: rejectEntry(line, error, value) };
}
