import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "../kernel/log.ts";
import { type Clock, DAY_MS, SECOND_MS } from "../kernel/time.ts";
import type { MessageNote } from "../mcp/call-notes.ts";
import { clientAddress } from "./client-class.ts";
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

/** Equal requests, while more may come. */
interface Noted extends SeenRequest {
  at: number;
  times: number;
}

/** Approximate size of a noted request without its texts. */
const OVERHEAD_BYTES = 300;

/**
 * Requests that wait to be written, in the order of the first of its kind. Most requests of a busy moment are equal in all that
 * is counted, and one entry with a number costs a tenth of entries of their own. Bounded: what does not fit is dropped.
 */
export class NotedRequests {
  readonly #maxBytes: number;
  #open = new Map<string | SeenRequest, Noted>();
  #closed: readonly SeenRequest[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many requests wait. */
  get requests(): number {
    return requestsOf(this.#closed) + requestsOf([...this.#open.values()]);
  }

  add(seen: SeenRequest): void {
    const key = keyOf(seen);
    const known = this.#open.get(key);
    if (known !== undefined) {
      known.times += seen.times;
      known.at = Math.max(known.at, seen.at);
      return;
    }
    const bytes = weightOf(seen);
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#dropped += seen.times;
      return;
    }
    this.#bytes += bytes;
    this.#open.set(key, { ...seen });
  }

  /** Ends the entries so far: equal requests that follow get new ones. */
  close(): void {
    this.#closed = [...this.#closed, ...this.#open.values()];
    this.#open = new Map();
  }

  /** The first entries that are closed. */
  first(limit: number): readonly SeenRequest[] {
    return this.#closed.slice(0, limit);
  }

  /** Removes what `first` gave. */
  remove(batch: readonly SeenRequest[]): void {
    this.#closed = this.#closed.slice(batch.length);
    this.#bytes -= batch.reduce((sum, seen) => sum + weightOf(seen), 0);
  }

  /** How many requests were dropped since the last time. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

/** The request itself for a partner, whose requests are stored with time and latency. Headers hold no line feed. */
function keyOf(seen: SeenRequest): string | SeenRequest {
  const { at, method, url, status, userAgent, address, timedOut, foundNothing, message } = seen;
  if (seen.clientId !== null) return seen;
  const day = Math.floor(at / DAY_MS);
  const called = message === null ? "" : JSON.stringify(message);
  return `${day} ${status} ${timedOut} ${foundNothing} ${method} ${url}\n${address}\n${userAgent}\n${called}`;
}

/** The texts count twice, because they are in the key, too. */
function weightOf({ url, userAgent, message }: SeenRequest): number {
  const searched = message?.search?.city.length ?? 0;
  return 2 * (url.length + userAgent.length + searched) + OVERHEAD_BYTES;
}

function requestsOf(entries: readonly SeenRequest[]): number {
  return entries.reduce((sum, { times }) => sum + times, 0);
}

/** Facts that handlers note about a request, for the usage counts. */
export interface RequestFacts {
  clientId: string | null; // of the partner whose key came with it
  timedOut: boolean; // it was given up because it took too long
  foundNothing: boolean; // it is a search, and the answer has no record
  readonly messages: MessageNote[]; // of MCP
}

const noted = new WeakMap<IncomingMessage, RequestFacts>();

/** The facts of a request, created on first use; handlers add to them until the answer is complete. */
export function factsOf(request: IncomingMessage): RequestFacts {
  const known = noted.get(request);
  if (known !== undefined) return known;
  const facts: RequestFacts = { clientId: null, timedOut: false, foundNothing: false, messages: [] };
  noted.set(request, facts);
  return facts;
}

const NONE: RequestFacts = { clientId: null, timedOut: false, foundNothing: false, messages: [] };

/** The facts of a request that is over. */
export function notedFacts(request: IncomingMessage): Readonly<RequestFacts> {
  return noted.get(request) ?? NONE;
}
