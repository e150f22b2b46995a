import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ReleaseMemory } from "../resources/release-memory.ts";
import { tagOf } from "./files/entity-tag.ts";

const compressed = promisify(gzip);

/** A page with arguments, as it was made from a release. */
export class MadePage {
  readonly body: Buffer;
  readonly tag: string;
  /** Whether a search for records found none. */
  readonly foundNothing: boolean;
  #zipped: Promise<Buffer> | undefined;

  constructor(body: Buffer, foundNothing: boolean) {
    this.body = body;
    this.tag = tagOf(body);
    this.foundNothing = foundNothing;
  }

  /** The body as gzip, compressed when it is asked for first. */
  zipped(): Promise<Buffer> {
    this.#zipped ??= compressed(this.body);
    return this.#zipped;
  }
}

/** Pages by their addresses. */
export type MadePages = ReleaseMemory<MadePage>;

const MAX_BYTES = 32 * 1024 * 1024;
/** Beside the body: the compressed one, which is smaller, and the objects of an entry. */
const TIMES_BODY = 2;
const OVERHEAD_BYTES = 500;

export function madePages(maxBytes = MAX_BYTES): MadePages {
  return new ReleaseMemory(
    maxBytes,
    ({ body }, key) => (body.length + key.length) * TIMES_BODY + OVERHEAD_BYTES,
  );
}
