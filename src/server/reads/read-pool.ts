import { Worker } from "node:worker_threads";
import { z } from "zod";
import { ERROR_CODES, PublicError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";

/** Messages between the server and its read worker: plain data, because they cross threads. */

/** A read by operation id, of a route or a page, over the snapshot at a path. */
export const ReadTask = z.object({
  operationId: z.string(),
  snapshot: z.string(),
  path: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string()).readonly()])),
});
export type ReadTask = z.infer<typeof ReadTask>;

/** The operation of a tool of MCP; its arguments are JSON in one value of the query. */
export const toolOperation = (name: string): string => `mcp.${name}`;
export const TOOL_ARGUMENTS = "arguments";

const Details = z.looseObject({
  code: z.enum(ERROR_CODES.map(({ code }) => code)).optional(),
  did_you_mean: z.string().optional(),
});

/** The body, an error for the caller, or a fault for the operator's log. */
export const ReadReply = z.union([
  z.object({ body: z.string() }),
  z.object({
    error: z.object({ status: z.int(), message: z.string(), details: Details }),
  }),
  z.object({ fault: z.string() }),
]);
export type ReadReply = z.infer<typeof ReadReply>;

/** The first message of a worker: it has loaded its code and takes tasks. */
export const READY = "ready";

/** The last message to a worker: it closes what it has open, and its thread ends. */
export const END = "end";

interface Waiting {
  readonly task: ReadTask;
  turn: NodeJS.Timeout; // until it has to have begun
  resolve(body: string): void;
  reject(error: Error): void;
}

interface PoolOptions {
  readonly log: Log;
  readonly timeoutMs?: number; // for one read, and for waiting for its turn
  readonly worker?: URL; // tests bring workers that misbehave
}

/** A read that was given up, so that it is counted as a timeout. */
export class TooSlow extends PublicError {
  constructor(message: string) {
    super(503, message);
  }
}

const TIMEOUT_MS = 5000;
const MAX_WAITING = 200;
/** How many times as long a read waits for its turn while the thread still loads its code. */
const LOADING = 6;
/** How long closing waits for a thread that is still loading its code. */
const LOAD_MS = 3000;

/**
 * Owns one worker thread, the read that it is doing, and the queue of those that wait for it. A worker that dies or takes
 * too long fails its read with a 503 and is replaced; the queue goes on. A worker says `READY` once it has loaded its code: on a
 * busy machine that takes seconds, which are not the fault of the first read.
 */
export class ReadPool {
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #script: URL;
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #isReady = false;
  #running: { readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined;
  #isClosed = false;

  constructor({ log, timeoutMs = TIMEOUT_MS, worker }: PoolOptions) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#script = worker ?? new URL("./read-worker.ts", import.meta.url);
    this.#worker = this.#start();
  }

  /** How many reads wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** The body of a read. Rejects with PublicError: the read's own, or 503 when the worker is busy, too slow or broken. */
  read(task: ReadTask): Promise<string> {
    if (this.#isClosed || this.#queue.length >= MAX_WAITING)
      return Promise.reject(new PublicError(503, "busy: retry in a moment"));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        task,
        resolve,
        reject,
        turn: setTimeout(() => this.#expire(waiting, 1), this.#timeoutMs),
      };
      this.#queue.push(waiting);
      this.#next();
    });
  }

  #expire(waiting: Waiting, rounds: number): void {
    const at = this.#queue.indexOf(waiting);
    if (at === -1) return;
    if (!this.#isReady && rounds < LOADING) {
      waiting.turn = setTimeout(() => this.#expire(waiting, rounds + 1), this.#timeoutMs);
      return;
    }
    this.#queue.splice(at, 1);
    waiting.reject(new TooSlow("busy: retry in a moment"));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject, turn } of this.#queue.splice(0)) {
      clearTimeout(turn);
      reject(new PublicError(503, "the server is stopping"));
    }
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.ref();
    // A thread that ends by itself leaves native code in order; one that does not is interrupted.
    worker.postMessage(END);
    const late = setTimeout(() => worker.terminate(), this.#running === undefined ? LOAD_MS : 0);
    await exited;
    clearTimeout(late);
  }

  #next(): void {
    if (this.#running !== undefined || this.#queue.length === 0) return;
    this.#worker ??= this.#start();
    if (!this.#isReady) return;
    const worker = this.#worker;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    clearTimeout(waiting.turn);
    const timer = setTimeout(() => this.#giveUp(worker), this.#timeoutMs);
    this.#running = { waiting, timer };
    worker.postMessage(waiting.task);
  }

  /** A read cannot be interrupted, so the thread goes with it. */
  #giveUp(worker: Worker): void {
    this.#log.error("read_too_slow", { operation: this.#running?.waiting.task.operationId ?? "" });
    this.#replace(worker, new TooSlow("the read took too long: narrow the request, or retry"));
    worker.terminate().catch(() => undefined);
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    this.#isReady = false;
    worker.unref();
    worker.on("message", (message) => {
      if (worker !== this.#worker) return;
      if (message !== READY) return this.#finish((waiting) => settle(waiting, message));
      this.#isReady = true;
      this.#next();
    });
    worker.on("error", (error) =>
      this.#log.error("read_worker_failed", { fault: error.stack ?? error.message }),
    );
    worker.on("exit", () => this.#replace(worker, new PublicError(503, "the read was interrupted: retry")));
    return worker;
  }

  #replace(worker: Worker, reason: PublicError): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#finish(({ reject }) => reject(reason));
  }

  #finish(settleOne: (waiting: Waiting) => void): void {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) {
      clearTimeout(running.timer);
      settleOne(running.waiting);
    }
    if (!this.#isClosed) this.#next();
  }
}

function settle({ resolve, reject }: Waiting, message: unknown): void {
  const { data: reply } = ReadReply.safeParse(message);
  if (reply === undefined) reject(new Error("the read worker's answer makes no sense"));
  else if ("body" in reply) resolve(reply.body);
  else if ("error" in reply) {
    const { status, message, details } = reply.error;
    reject(new PublicError(status, message, details));
  } else reject(new Error(reply.fault));
}
