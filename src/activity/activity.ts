import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../kernel/log.ts";
import { type Clock, SECOND_MS } from "../kernel/time.ts";
import { clientAddress } from "./client-address.ts";
import { notedFacts } from "./request-facts.ts";
import type { SeenRequest } from "./seen-request.ts";

/** Records every request for the counts of machine activity. It must be cheap: it looks up, parses and writes nothing. */
export interface Observer {
  /** Records a request that is already answered. `startedAt` comes from `performance.now()`. */
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
/** Requests per transaction: others wait for it. */
const BATCH = 1000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The client is unknown: behind a proxy the connection is the proxy's. */
const UNREADABLE = {
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
/** Approximate size of a recorded request without its texts. */
const OVERHEAD_BYTES = 300;

/**
 * Buffers recorded requests until they are written. The buffer is bounded: the log gets the number of dropped requests. A failed
 * batch stays and is tried again.
 */
export class Activity implements Observer {
  readonly #deps: ActivityDeps;
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  #noted: SeenRequest[] = [];
  #bytes = 0;
  #dropped = 0;
  #flushing: Promise<void> | undefined;
  readonly #answering = new WeakSet<Duplex>();

  constructor(deps: ActivityDeps) {
    this.#deps = deps;
    this.#maxBytes = deps.maxBytes ?? MAX_BYTES;
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
    this.#keep({ ...UNREADABLE, at, status });
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
    if (this.#noted.length > 0) this.#deps.log.error("activity_lost", { requests: this.#noted.length });
    await this.#deps.writer.close();
  }

  #note(request: IncomingMessage, address: string, status: number | null, startedAt: number): void {
    const { method = "", url = "", headers } = request;
    const { clientId, timedOut, foundNothing, messages } = notedFacts(request);
    const seen: SeenRequest = {
      at: this.#deps.clock(),
      method,
      url,
      status,
      latencyMs: status === null ? null : performance.now() - startedAt,
      userAgent: headers["user-agent"] ?? "",
      address,
      clientId,
      timedOut,
      foundNothing,
      message: null,
    };
    if (messages.length === 0) this.#keep(seen);
    for (const message of messages) this.#keep({ ...seen, message });
  }

  #keep(seen: SeenRequest): void {
    const bytes = weightOf(seen);
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += bytes;
    this.#noted.push(seen);
  }

  async #writeAll(): Promise<void> {
    while (this.#noted.length > 0) {
      const batch = this.#noted.slice(0, BATCH);
      if (!(await this.#deps.writer.write(batch))) break;
      this.#noted = this.#noted.slice(batch.length);
      this.#bytes -= batch.reduce((sum, seen) => sum + weightOf(seen), 0);
    }
    if (this.#dropped === 0) return;
    this.#deps.log.error("activity_dropped", { requests: this.#dropped });
    this.#dropped = 0;
  }
}

function weightOf({ url, userAgent }: SeenRequest): number {
  return url.length + userAgent.length + OVERHEAD_BYTES;
}
