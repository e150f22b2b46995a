import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { PurposeKey } from "../../ledger/keys/keys.ts";
import type { PendingLine, PendingReview } from "../../ledger/matching/pending-lines.ts";
import { commitValues } from "../../ledger/rows/digests.ts";
import { LineFault } from "../lines/fault.ts";
import { type IntakeHashes, readSighting, type Sighting } from "../lines/sighting.ts";
import { keysForThread, packed, ThreadKeys, unpacked } from "../lines/thread-messages.ts";
import { type NameHoldReason, nameHoldReason } from "../matching/hold-reason.ts";

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
  for (const { sighting, ...line } of lines) {
    if (sighting?.committed === undefined) yield [{ ...line, ...(sighting && { sighting }) }, ""];
    else {
      const { salts, digests, json } = sighting.committed;
      const committed = { salts: Buffer.from(salts).toString("base64"), digests };
      yield [{ ...line, sighting: { ...sighting, committed: undefined }, committed }, json];
    }
  }
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

/** To the thread: which lines to read; or that it is to end. */
export interface LineRequest {
  readonly day: number; // UTC, ms
  readonly from: number; // how many lines of the day come before
  readonly limit: number;
}

export const END = "end";

/** From the thread. */
export type LineAnswer = { readonly pieces: readonly string[] } | { readonly failed: string };

/**
 * Reads and derives pending lines in a thread of its own, one chunk ahead of the caller, who matches and appends meanwhile. It reads the
 * ledger's file by itself, so only derived lines cross over.
 */
export class LineThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #ahead: { readonly request: string; readonly answer: Promise<readonly string[]> } | undefined;

  constructor(path: string, purposeKey: PurposeKey) {
    const keys = keysForThread(purposeKey);
    this.#worker = new Worker(new URL("./line-worker.ts", import.meta.url), { workerData: { path, keys } });
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
  }

  /** Lines of a day, to be read once; undefined where there are no more. Begins with those that follow them. */
  async read(request: LineRequest): Promise<Iterable<DerivedLine> | undefined> {
    const text = JSON.stringify(request);
    const pieces = await (this.#ahead?.request === text ? this.#ahead.answer : this.#ask(request));
    this.#ahead = undefined;
    if (pieces.length === 0) return undefined;
    this.#askAhead({ ...request, from: request.from + request.limit });
    return unpackLines(pieces);
  }

  /** The thread ends by itself, after what it was asked, and closes the ledger. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.postMessage(END);
    await this.#exited;
  }

  #askAhead(request: LineRequest): void {
    const answer = this.#ask(request);
    answer.catch(() => undefined); // it is reported when it is read
    this.#ahead = { request: JSON.stringify(request), answer };
  }

  async #ask(request: LineRequest): Promise<readonly string[]> {
    this.#worker.postMessage(request);
    const [answer]: LineAnswer[] = await once(this.#worker, "message");
    if (answer === undefined || "failed" in answer)
      throw new Error(answer?.failed ?? "the thread that reads pending lines ended early");
    return answer.pieces;
  }
}
