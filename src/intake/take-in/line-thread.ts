import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { PURPOSES, type PurposeKey } from "../../ledger/keys/keys.ts";
import { type DerivedLine, unpackLines } from "./derived-line.ts";

/** What the thread is started with. The keys stay within the process. */
export const LineThreadTask = z.object({
  path: z.string(), // of the ledger
  keys: z.record(z.string(), z.instanceof(Uint8Array)),
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
    const keys = Object.fromEntries(PURPOSES.map((purpose) => [purpose, purposeKey(purpose)]));
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
