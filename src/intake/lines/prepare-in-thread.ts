import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import type { PurposeKey } from "../../ledger/keys/keys.ts";
import { ColumnMap } from "./column-map.ts";
import type { Prepared } from "./prepare.ts";
import { unpackLinesToAccept } from "./sighting.ts";
import { keysForThread, ThreadKeys } from "./thread-messages.ts";

/** What the thread is started with. */
export const ThreadTask = z.object({
  map: ColumnMap.optional(),
  batchLines: z.int(),
  encoding: z.string().optional(),
  keys: ThreadKeys,
});

/** To the thread: a piece of the input and the time it came, the end, or how the input failed. */
export type Piece =
  | { readonly chunk: Uint8Array; readonly now: number }
  | { readonly end: true }
  | { readonly failure: string };

/** From the thread: a piece was taken, a batch is ready, all is done, or it failed. */
export type Report =
  | { readonly taken: number }
  | { readonly batch: Prepared<readonly string[]> }
  | { readonly done: true }
  | { readonly failed: string; readonly forOperator: boolean };

export interface ThreadPreparation {
  readonly map: ColumnMap | undefined;
  readonly batchLines: number;
  readonly encoding?: string | undefined;
  readonly purposeKey: PurposeKey;
  readonly now: () => number;
}

/** Bytes sent and not committed yet: enough for the next batches while one is being committed, and a bound on memory. */
const MIN_AHEAD_BYTES = 12 << 20;
const AHEAD_BYTES_A_LINE = 1200; // about four batches of usual lines

/** The same batches as `prepare`, made by a thread while the caller commits: a large file takes two cores. */
export async function* prepareInThread(
  source: AsyncIterable<Uint8Array>,
  preparation: ThreadPreparation,
): AsyncGenerator<Prepared> {
  const thread = new PreparingThread(preparation);
  try {
    const pumped = thread.pump(source, preparation.now);
    yield* thread.batches();
    await pumped;
  } finally {
    await thread.stop();
  }
}

/** Owns the thread and its reports that are not yet read. */
class PreparingThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #reports: Report[] = [];
  readonly #maxAhead: number; // bytes
  #sent = 0; // bytes of the input, as the next two
  #taken = 0; // by the thread
  #committed = 0; // of the batches that the caller has come back from
  #stopped = false;
  #isDone = false; // the thread has sent its last report and ends by itself
  #wake: () => void = () => undefined;
  #changed: Promise<void> = Promise.resolve();

  constructor({ map, batchLines, encoding, purposeKey }: ThreadPreparation) {
    const keys = keysForThread(purposeKey);
    this.#renew();
    this.#maxAhead = Math.max(MIN_AHEAD_BYTES, AHEAD_BYTES_A_LINE * batchLines);
    this.#worker = new Worker(new URL("./prepare-worker.ts", import.meta.url), {
      workerData: { map, batchLines, encoding, keys },
    });
    this.#worker.on("message", (report: Report) => this.#take(report));
    this.#worker.on("error", (error) =>
      this.#take({ failed: error.stack ?? error.message, forOperator: false }),
    );
    this.#exited = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
    // After the last report this one is not read.
    this.#worker.on("exit", () =>
      this.#take({ failed: "the thread that reads the input ended early", forOperator: false }),
    );
  }

  /** Sends the input to the thread, a bounded piece ahead. Never rejects: a failure is sent to the thread. */
  async pump(source: AsyncIterable<Uint8Array>, now: () => number): Promise<void> {
    try {
      for await (const chunk of source) {
        while (this.#isAhead() && !this.#stopped) await this.#changed;
        if (this.#stopped) return;
        this.#sent += chunk.length;
        this.#send({ chunk, now: now() });
      }
      this.#send({ end: true });
    } catch (error) {
      this.#send({ failure: error instanceof Error ? error.message : String(error) });
    }
  }

  async *batches(): AsyncGenerator<Prepared> {
    for (;;) {
      const report = this.#reports.shift();
      if (report === undefined) await this.#changed;
      else if ("batch" in report) {
        const { batch } = report;
        yield { ...batch, sightings: unpackLinesToAccept(batch.sightings) };
        this.#committed = batch.bytesRead;
        this.#notify();
        await setImmediate(); // committing held the event loop: let the input be read on
      } else if ("done" in report) {
        this.#isDone = true;
        return;
      } else if ("failed" in report)
        throw report.forOperator ? new OperatorError(report.failed) : new Error(report.failed);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#notify();
    if (this.#isDone) await this.#exited;
    else await this.#worker.terminate();
  }

  #send(piece: Piece): void {
    this.#worker.postMessage(piece);
  }

  #take(report: Report): void {
    if ("taken" in report) this.#taken += report.taken;
    else this.#reports.push(report);
    this.#notify();
  }

  /** A thread that has taken all and reported nothing is short of input, however much its batch has had. */
  #isAhead(): boolean {
    const isShort = this.#taken === this.#sent && this.#reports.length === 0;
    return this.#sent - this.#committed > this.#maxAhead && !isShort;
  }

  #notify(): void {
    this.#wake();
    this.#renew();
  }

  #renew(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changed = promise;
    this.#wake = resolve;
  }
}
