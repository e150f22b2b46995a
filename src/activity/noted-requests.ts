import { DAY_MS } from "../kernel/time.ts";
import type { SeenRequest } from "./seen-request.ts";

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
