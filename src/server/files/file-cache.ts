import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import { type Encoding, hasTwins, TWINS } from "../../kernel/files/compressed-twins.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { fileHeaders, validatorHeaders } from "../http/headers.ts";
import { contentTypeOf } from "./content-type.ts";
import { sitePath } from "./site-path.ts";

/** One representation of a file, with its headers ready to be written. */
export interface StoredFile {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: string[]; // of the whole body
  readonly validators: string[]; // of a 304
}

/** A file: its path below `site/` and its representations by encoding; identity is always there. */
export interface SiteFile {
  readonly path: string;
  readonly identity: StoredFile;
  readonly twins: ReadonlyMap<Encoding, StoredFile>;
}

interface Entry {
  readonly file: SiteFile;
  readonly bytes: number;
  wasUsed: boolean; // since the last sweep that met it
}

/** Rough weight of a file's headers and map entries. */
const OVERHEAD_BYTES = 2000;

/**
 * Owns the bytes of hot files of one release, by URL path. A file server on streams costs about seven times as much a
 * request as a buffer in memory. Eviction is a second chance queue: a hit only sets a mark, which keeps it cheap.
 */
export class FileCache {
  readonly #site: string;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<SiteFile | undefined>>();
  #bytes = 0;

  constructor(site: string, maxBytes: number) {
    this.#site = site;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A file in memory for this URL path; the fast path. */
  hot(pathname: string): SiteFile | undefined {
    const entry = this.#entries.get(pathname);
    if (entry === undefined) return undefined;
    entry.wasUsed = true;
    return entry.file;
  }

  /** The file of a URL path with its twins, read when it must be; undefined when there is none. */
  load(pathname: string): Promise<SiteFile | undefined> {
    const hot = this.hot(pathname);
    if (hot !== undefined) return Promise.resolve(hot);
    const path = sitePath(pathname);
    if (path === undefined) return Promise.resolve(undefined);
    const underWay = this.#loading.get(pathname);
    if (underWay !== undefined) return underWay;
    const loading = this.#read(pathname, path).finally(() => this.#loading.delete(pathname));
    this.#loading.set(pathname, loading);
    return loading;
  }

  async #read(pathname: string, path: string): Promise<SiteFile | undefined> {
    const identity = await readOrUndefined(join(this.#site, path));
    if (identity === undefined) return undefined;
    const hash = sha256Hex(identity).slice(0, 32);
    const twins = new Map<Encoding, StoredFile>();
    let bytes = identity.length + OVERHEAD_BYTES;
    for (const { ending, encoding } of hasTwins(path) ? TWINS : []) {
      const twin = await readOrUndefined(join(this.#site, path + ending));
      if (twin === undefined) continue;
      twins.set(encoding, storedFile(path, twin, encoding, `"${hash}-${encoding}"`));
      bytes += twin.length;
    }
    const file = { path, identity: storedFile(path, identity, "identity", `"${hash}"`), twins };
    this.#keep(pathname, { file, bytes, wasUsed: false });
    return file;
  }

  #keep(pathname: string, entry: Entry): void {
    if (entry.bytes > this.#maxBytes / 8) return;
    this.#entries.set(pathname, entry);
    this.#bytes += entry.bytes;
    // A used file moves to the end of the queue without its mark, where this loop meets it again.
    for (const [oldest, candidate] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#entries.delete(oldest);
      if (candidate.wasUsed) this.#entries.set(oldest, { ...candidate, wasUsed: false });
      else this.#bytes -= candidate.bytes;
    }
  }
}

function storedFile(path: string, body: Buffer, encoding: Encoding, etag: string): StoredFile {
  const facts = { path, type: contentTypeOf(path), length: body.length, etag, encoding };
  return { body, etag, headers: fileHeaders(facts), validators: validatorHeaders(facts) };
}

async function readOrUndefined(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const codes = ["ENOENT", "EISDIR", "ENOTDIR", "ENAMETOOLONG"];
    if (codes.some((code) => hasErrorCode(error, code))) return undefined;
    throw error;
  }
}
