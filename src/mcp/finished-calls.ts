import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { ReadContext } from "../resources/define.ts";
import type { CallNote } from "./call-note.ts";

/** A call that was run: its result, and what is counted. */
export interface FinishedCall {
  /** Members of the protocol's CallToolResult, as JSON without the outer braces. */
  readonly members: string;
  readonly note: CallNote;
}

/** Results to remember, by an upper bound of their bytes: V8 keeps a character in one byte or two. */
const MAX_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;
/** The objects of an entry, with the texts of its note. */
const OVERHEAD_BYTES = 500;

/** Results of the current release by tool and arguments, which they are a function of. A new release forgets them all. */
export class FinishedCalls {
  readonly #maxBytes: number;
  #snapshot: ReadContext["snapshot"] | undefined;
  #calls = new BoundedCache<string, FinishedCall>(0);

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The remembered result, or else that of `run`, which is remembered unless it throws. */
  take({ snapshot }: ReadContext, key: string, run: () => FinishedCall): FinishedCall {
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      this.#calls = new BoundedCache(this.#maxBytes / 2, bytesOf); // the cache holds twice its limit
    }
    return this.#calls.take(key, run);
  }
}

function bytesOf({ members }: FinishedCall, key: string): number {
  return (members.length + key.length) * BYTES_PER_CHARACTER + OVERHEAD_BYTES;
}
