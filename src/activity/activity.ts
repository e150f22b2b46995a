import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../kernel/log.ts";
import { type Clock, SECOND_MS } from "../kernel/time.ts";
import { clientAddress } from "./client-class.ts";
import { NotedRequests } from "./noted-requests.ts";
import { notedFacts } from "./request-facts.ts";
import type { SeenRequest } from "./seen-request.ts";

/** Records every request for the counts of machine activity. It must be cheap: it looks up, parses and writes nothing. */
export interface Observer {
  /** Records a GET that a file in memory has just answered. `startedAt` comes from `performance.now()`. */
  answered(request: IncomingMessage, response: ServerResponse, startedAt: number): void;
  /** Records a request when its answer ends, with the facts collected until then. */
  answering(request: IncomingMessage, response: ServerResponse, startedAt: number): void;
  /** Records bytes that were refused as no valid request. */
  broken(status: number, socket: Duplex): void;
}

/** Writes a batch completely or not at all, and returns whether it did. Must not reject. */
export interface ActivityWriter {
  write(batch: readonly SeenRequest[]): Promise<boolean>;
  close(): Promise<void>;
}

interface ActivityDeps {
  readonly writer: ActivityWriter;
  readonly log: Log;
  readonly clock: Clock;
  readonly trustedProxies: number;
  readonly maxBytes?: number;
}

const FLUSH_MS = 2 * SECOND_MS;
/** Different requests per transaction: others wait for it. */
const BATCH = 1000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The client is unknown: behind a proxy the connection is the proxy's. */
const UNREADABLE = {
  times: 1,
  method: "",
  url: "",
  latencyMs: null,
  userAgent: "",
  address: "",
  clientId: null,
  timedOut: false,
  foundNothing: false,
  message: null,
};
/**
 * Buffers recorded requests until they are written, equal ones as one. The buffer is bounded: the log gets the number of dropped
 * requests. A failed batch stays and is tried again.
 */
export class Activity implements Observer {
  readonly #deps: ActivityDeps;
  readonly #timer: NodeJS.Timeout;
  readonly #noted: NotedRequests;
  #flushing: Promise<void> | undefined;
  readonly #answering = new WeakSet<Duplex>();

  constructor(deps: ActivityDeps) {
    this.#deps = deps;
    this.#noted = new NotedRequests(deps.maxBytes ?? MAX_BYTES);
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  answered(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    this.#note(request, clientAddress(request, this.#deps.trustedProxies), response.statusCode, startedAt);
  }

  answering(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    const address = clientAddress(request, this.#deps.trustedProxies); // unavailable after the connection closed
    const { socket } = request;
    this.#answering.add(socket);
    response.once("close", () => {
      this.#answering.delete(socket);
      const wasAnswered = response.writableFinished && request.errored === null;
      this.#note(request, address, wasAnswered ? response.statusCode : null, startedAt);
    });
  }

  broken(status: number, socket: Duplex): void {
    if (this.#answering.has(socket)) return; // part of a request that is recorded when its answer ends
    const at = this.#deps.clock();
    this.#noted.add({ ...UNREADABLE, at, status });
  }

  /** Writes everything noted so far. Never rejects. */
  flush(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** To be called after the last request has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
    await this.flush();
    const { requests } = this.#noted;
    if (requests > 0) this.#deps.log.error("activity_lost", { requests });
    await this.#deps.writer.close();
  }

  #note(request: IncomingMessage, address: string, status: number | null, startedAt: number): void {
    const { method = "", url = "", headers } = request;
    const { clientId, timedOut, foundNothing, messages } = notedFacts(request);
    const seen: SeenRequest = {
      at: this.#deps.clock(),
      times: 1,
      method,
      url,
      status,
      latencyMs: status === null || clientId === null ? null : performance.now() - startedAt,
      userAgent: headers["user-agent"] ?? "",
      address,
      clientId,
      timedOut,
      foundNothing,
      message: null,
    };
    if (messages.length === 0) this.#noted.add(seen);
    for (const message of messages) this.#noted.add({ ...seen, message });
  }

  /** What is noted meanwhile waits for the next time: else a busy server would write without end. */
  async #writeAll(): Promise<void> {
    this.#noted.close();
    for (let batch = this.#noted.first(BATCH); batch.length > 0; batch = this.#noted.first(BATCH)) {
      if (!(await this.#deps.writer.write(batch))) break;
      this.#noted.remove(batch);
    }
    const dropped = this.#noted.takeDropped();
    if (dropped > 0) this.#deps.log.error("activity_dropped", { requests: dropped });
  }
}
