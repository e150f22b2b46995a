import { z } from "zod";
import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { PendingLine, PendingReview } from "../../ledger/matching/pending-lines.ts";
import { commitValues } from "../../ledger/rows/digests.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { AnsweringThread, keysForThread, packed, ThreadKeys, unpacked } from "../answering-thread.ts";
import { LineFault } from "../lines/fault.ts";
import { type NameHoldReason, nameHoldReason } from "../lines/name.ts";
import { type IntakeHashes, intakeHashes, readSighting, type Sighting } from "../lines/sighting.ts";
import { registeredIn } from "../sources/entry.ts";

/** A pending line with its sighting. */
export interface DerivedLine {
  readonly id: number;
  readonly batch: string;
  readonly key: string; // keyed hash of its source's reference, hexadecimal
  readonly review: PendingReview | undefined;
  readonly sighting: Sighting | undefined; // undefined for a line that this version refuses
  readonly hold: NameHoldReason | undefined;
}

export interface Derivation {
  readonly hashes: IntakeHashes;
  /** With it private values are committed here, and the ledger's writer has less to do. */
  readonly random?: RandomBytes;
}

/** The sightings of lines of a UTC day (ms), as they were when the lines were accepted; each is derived when it is asked for. */
export function* deriveLines(
  lines: Iterable<PendingLine>,
  day: number,
  derivation: Derivation,
): Generator<DerivedLine> {
  for (const line of lines) {
    const { id, batch, key, review } = line;
    const sighting = sightingOf(line, day, derivation);
    yield { id, batch, key, review, sighting, hold: sighting && nameHoldReason(sighting) };
  }
}

function sightingOf(
  { line, input }: PendingLine,
  day: number,
  { hashes, random }: Derivation,
): Sighting | undefined {
  try {
    // It was checked when it was accepted, on that day or before.
    const sighting = readSighting(line, JSON.parse(input), hashes, day + DAY_MS - 1);
    return random === undefined
      ? sighting
      : { ...sighting, hidden: {}, committed: commitValues(sighting.hidden, random) };
  } catch (error) {
    if (error instanceof LineFault) return undefined;
    throw error;
  }
}

type PackedLine = Omit<DerivedLine, "sighting"> & {
  readonly sighting?: Sighting;
  readonly committed?: { readonly salts: string; readonly digests: readonly string[] };
};

/** Lines as texts for another thread (see `packed`). */
export function packLines(lines: Iterable<DerivedLine>): string[] {
  return packed(packedLines(lines));
}

function* packedLines(lines: Iterable<DerivedLine>): Generator<readonly [PackedLine, string]> {
  for (const line of lines) yield packedLine(line);
}

function packedLine({ sighting, ...line }: DerivedLine): readonly [PackedLine, string] {
  if (sighting?.committed === undefined) return [{ ...line, ...(sighting && { sighting }) }, ""];
  const { salts, digests, json } = sighting.committed;
  const committed = { salts: Buffer.from(salts).toString("base64"), digests };
  return [{ ...line, sighting: { ...sighting, committed: undefined }, committed }, json];
}

/** The lines that `packLines` packed. */
export function* unpackLines(pieces: Iterable<string>): Generator<DerivedLine> {
  for (const [{ sighting, committed, ...line }, json] of unpacked<PackedLine>(pieces)) {
    if (sighting === undefined || committed === undefined) yield { ...line, sighting };
    else {
      const salts = Buffer.from(committed.salts, "base64");
      yield { ...line, sighting: { ...sighting, committed: { ...committed, salts, json } } };
    }
  }
}

/** What the thread is started with. */
export const LineThreadTask = z.object({
  path: z.string(), // of the ledger
  keys: ThreadKeys,
});

/** Which lines of a UTC day (ms) to read: `from` is how many of it come before. */
export interface LineRequest {
  readonly day: number;
  readonly from: number;
  readonly limit: number;
}

/** Reads the lines of a day in the order of their keys, and derives their sightings; `limit` lines at once. */
export interface LineSource extends AsyncDisposable {
  chunks(day: number, limit: number): AsyncIterable<Iterable<DerivedLine>>;
}

export function linesInOwnThread(ledger: LedgerWriter): LineSource {
  const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
  const order = ledger.pendingOrder();
  return {
    async *chunks(day, limit) {
      for (let from = 0; ; from += limit) {
        const lines = order.read(day, { from, limit });
        if (lines.length === 0) return;
        yield deriveLines(lines, day, { hashes });
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** In a thread of its own, one chunk ahead of the caller, who matches and appends meanwhile. */
export function linesInThread({ path, purposeKey }: LedgerWriter): LineSource {
  const script = new URL("./line-worker.ts", import.meta.url);
  const keys = keysForThread(purposeKey);
  const thread = new AnsweringThread<LineRequest, readonly string[]>(script, { path, keys });
  return {
    async *chunks(day, limit) {
      for await (const pieces of thread.answers((index) => ({ day, from: index * limit, limit })))
        yield unpackLines(pieces);
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}
