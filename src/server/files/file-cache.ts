import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { hasErrorCode } from "../../kernel/errors.ts";
import { type Encoding, isCompressible, isWorthwhile, TWINS } from "../../kernel/files/compressed-twins.ts";
import { fileHeaders, validatorHeaders } from "../http/headers.ts";
import { contentTypeOf } from "./content-type.ts";
import { entityTag, tagOf } from "./entity-tag.ts";
import type { DiskBody, FileBody } from "./send-body.ts";
import { sitePath } from "./site-path.ts";

/** One representation of a file, with its headers ready to be written. */
export interface StoredFile {
  readonly body: FileBody;
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

/** Makes what has no file, by its path below `site/`; undefined for what the release does not have. May throw PublicError. */
export type MakeFile = (path: string) => string | undefined;

/** A file with its twins that takes more than this part of the memory is streamed from disk: neither read whole nor hashed. */
const LARGEST_SHARE = 8;
/** Rough weight of a file's headers and map entries. */
const OVERHEAD_BYTES = 2000;

/**
 * Owns the bytes of hot files of one release, by URL path. A file server on streams costs about seven times as much a
 * request as a buffer in memory. A text without a twin is compressed when it is read, once for all who ask while it is hot. Eviction is a second chance queue: a hit only sets a mark, which keeps it cheap.
 */
export class FileCache {
  readonly #site: string;
  readonly #maxBytes: number;
  readonly #make: MakeFile;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<SiteFile | undefined>>();
  #bytes = 0;

  constructor(site: string, maxBytes: number, make: MakeFile = () => undefined) {
    this.#site = site;
    this.#maxBytes = maxBytes;
    this.#make = make;
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
    const whole = join(this.#site, path);
    const facts = await factsOf(whole);
    if (facts === undefined) return this.#made(pathname, path);
    const twins = await twinsOf(whole, isCompressible(path));
    const bytes = twins.reduce((sum, { length }) => sum + length, facts.length) + OVERHEAD_BYTES;
    const isLarge = bytes > this.#maxBytes / LARGEST_SHARE;
    const body = isLarge ? facts : await readOrUndefined(whole);
    if (body === undefined) return undefined;
    const packed = twins.length === 0 ? await packedNow(path, body) : await bodiesOf(twins, isLarge);
    const tag = body instanceof Buffer ? tagOf(body) : facts.version;
    const file = siteFile(path, tag, body, packed);
    if (!isLarge) this.#keep(pathname, file);
    return file;
  }

  async #made(pathname: string, path: string): Promise<SiteFile | undefined> {
    const text = this.#make(path);
    if (text === undefined) return undefined;
    const body = Buffer.from(text);
    const file = siteFile(path, tagOf(body), body, await packedNow(path, body));
    this.#keep(pathname, file);
    return file;
  }

  #keep(pathname: string, file: SiteFile): void {
    const entry = { file, bytes: bytesOf(file) + OVERHEAD_BYTES, wasUsed: false };
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

function siteFile(path: string, tag: string, body: FileBody, packed: Packed): SiteFile {
  const twins = packed.map(([encoding, twin]) => [encoding, storedFile(path, twin, encoding, tag)] as const);
  return { path, identity: storedFile(path, body, "identity", tag), twins: new Map(twins) };
}

function storedFile(path: string, body: FileBody, encoding: Encoding, tag: string): StoredFile {
  const etag = entityTag(tag, encoding);
  const facts = { path, type: contentTypeOf(path), length: body.length, etag, encoding };
  return { body, etag, headers: fileHeaders(facts), validators: validatorHeaders(facts) };
}

interface DiskFacts extends DiskBody {
  /** Differs from that of any other content the path ever had: a release's files are written once. */
  readonly version: string;
}

async function factsOf(file: string): Promise<DiskFacts | undefined> {
  const found = await orMissing(() => stat(file, { bigint: true }));
  if (!found?.isFile()) return undefined;
  return {
    file,
    length: Number(found.size),
    version: `${found.size.toString(16)}-${found.mtimeNs.toString(16)}`,
  };
}

type TwinFacts = DiskFacts & { readonly encoding: Encoding };

async function twinsOf(file: string, mayHaveTwins: boolean): Promise<TwinFacts[]> {
  const found: TwinFacts[] = [];
  for (const { ending, encoding } of mayHaveTwins ? TWINS : []) {
    const facts = await factsOf(file + ending);
    if (facts !== undefined) found.push({ ...facts, encoding });
  }
  return found;
}

type Packed = [Encoding, FileBody][];

async function bodiesOf(twins: readonly TwinFacts[], isLarge: boolean): Promise<Packed> {
  const packed: Packed = [];
  for (const { encoding, ...twin } of twins) {
    const body = isLarge ? twin : await readOrUndefined(twin.file);
    if (body !== undefined) packed.push([encoding, body]);
  }
  return packed;
}

const zipped = promisify(gzip);

/** The file compressed, where that saves enough; not when it is streamed. */
async function packedNow(path: string, body: FileBody): Promise<Packed> {
  if (!(body instanceof Buffer) || !isCompressible(path) || !isWorthwhile(0, body.length)) return [];
  const packed = await zipped(body);
  return isWorthwhile(packed.length, body.length) ? [["gzip", packed]] : [];
}

function bytesOf({ identity, twins }: SiteFile): number {
  return [...twins.values()].reduce((sum, { body }) => sum + body.length, identity.body.length);
}

const readOrUndefined = (path: string) => orMissing(() => readFile(path));

async function orMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const codes = ["ENOENT", "EISDIR", "ENOTDIR", "ENAMETOOLONG"];
    if (codes.some((code) => hasErrorCode(error, code))) return undefined;
    throw error;
  }
}
