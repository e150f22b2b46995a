import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { hasErrorCode } from "../../kernel/errors.ts";
import { httpDate } from "../../kernel/time.ts";
import { recordDocumentsOf, type ServedFiles, type ServedRelease } from "../../resources/release-store.ts";
import { recordDocumentOf, shownDocumentOf } from "../../site/routes/record-documents.ts";
import { Site } from "../../site/site.ts";
import { fileHeaders, fileValidators } from "../http/headers.ts";
import { type Encoding, entityTag, tagOf } from "../http/negotiate.ts";
import { published } from "../reads/answer-read.ts";
import type { ReleaseSource } from "../reads/release-source.ts";
import { contentTypeOf } from "./content-type.ts";
import type { DiskBody, FileBody, Representation, SiteFile } from "./send-file.ts";

/** URL path -> file below `site/` (design 8), and nothing outside it. */

const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
/** The one folder whose name begins with a dot (RFC 8615); files lie in it, and no folder. */
const WELL_KNOWN = ".well-known";
const MAX_LENGTH = 512;

/** `/api/v1/x` and `/api/v1/x.json` -> `api/v1/x.json`; `/p/` -> `p/index.html`; others unchanged. Undefined for paths that no published file can have. */
export function sitePath(pathname: string): string | undefined {
  if (!pathname.startsWith("/") || pathname.length > MAX_LENGTH) return undefined;
  if (pathname === "/") return "index.html";
  const isFolder = pathname.endsWith("/");
  const segments = pathname.slice(1, isFolder ? -1 : undefined).split("/");
  const isWellKnown = segments.length === 2 && segments[0] === WELL_KNOWN && !isFolder;
  if (!segments.slice(isWellKnown ? 1 : 0).every((segment) => SEGMENT.test(segment))) return undefined;
  const path = segments.join("/");
  if (path.startsWith("api/")) return isFolder ? undefined : apiFile(path);
  return isFolder ? `${path}/index.html` : path;
}

/** Whether the address belongs to the API, where every error is JSON and never a page. */
export function isApiPath(pathname: string): boolean {
  return /^\/(api|mcp)(\/|$)/.test(pathname);
}

function apiFile(path: string): string {
  return /\.(csv|json)$/.test(path) ? path : `${path}.json`;
}

interface Entry {
  readonly file: SiteFile;
  readonly bytes: number;
  wasUsed: boolean; // since the last sweep that met it
}

/** Makes what has no file, by its path below `site/`; undefined for what the release does not have. May throw PublicError. */
export type MakeFile = (path: string) => string | undefined;

/** A file that takes more than this part of the memory is streamed from disk: neither read whole nor hashed. */
const LARGEST_SHARE = 8;
/** Rough weight of a file's headers and map entries. */
const OVERHEAD_BYTES = 2000;

/**
 * Owns the bytes of hot files of one release, by URL path. A file server on streams costs about seven times as much a
 * request as a buffer in memory. A text is compressed when it is read, once for all who ask while it is hot. Eviction is a second chance queue: a hit only sets a mark, which keeps it cheap.
 */
export class FileCache {
  readonly #site: string;
  readonly #maxBytes: number;
  readonly #make: MakeFile;
  readonly #madeAt: string | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<SiteFile | undefined>>();
  #bytes = 0;

  /** `madeAt`: the date of what `make` makes. */
  constructor(site: string, maxBytes: number, make: MakeFile = () => undefined, madeAt?: string) {
    this.#site = site;
    this.#maxBytes = maxBytes;
    this.#make = make;
    this.#madeAt = madeAt;
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

  /** The file of a URL path, read when it must be; undefined when there is none. */
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
    const isLarge = facts.length + OVERHEAD_BYTES > this.#maxBytes / LARGEST_SHARE;
    const body = isLarge ? facts : await readOrUndefined(whole);
    if (body === undefined) return undefined;
    const tag = body instanceof Buffer ? tagOf(body) : facts.version;
    const file = await siteFile(path, { tag, lastModified: facts.lastModified }, body);
    if (!isLarge) this.#keep(pathname, file);
    return file;
  }

  async #made(pathname: string, path: string): Promise<SiteFile | undefined> {
    const text = this.#make(path);
    if (text === undefined) return undefined;
    const body = Buffer.from(text);
    const file = await siteFile(path, { tag: tagOf(body), lastModified: this.#madeAt }, body);
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

interface VersionFacts {
  readonly tag: string;
  readonly lastModified: string | undefined;
}

async function siteFile(path: string, version: VersionFacts, body: FileBody): Promise<SiteFile> {
  const packed = await zippedIfSmaller(path, body);
  const gzip = packed && storedFile(path, packed, "gzip", version);
  return { path, identity: storedFile(path, body, "identity", version), gzip };
}

function storedFile(
  path: string,
  body: FileBody,
  encoding: Encoding,
  { tag, lastModified }: VersionFacts,
): Representation {
  const etag = entityTag(tag, encoding);
  const validators = fileValidators(path, etag, lastModified);
  const headers = fileHeaders({ type: contentTypeOf(path), length: body.length, encoding, validators });
  return { body, etag, lastModified, headers, validators };
}

interface DiskFacts extends DiskBody {
  readonly lastModified: string;
  /** Differs from that of any other content the path ever had: a release's files are written once. */
  readonly version: string;
}

async function factsOf(file: string): Promise<DiskFacts | undefined> {
  const found = await orMissing(() => stat(file, { bigint: true }));
  if (!found?.isFile()) return undefined;
  return {
    file,
    length: Number(found.size),
    lastModified: httpDate(Number(found.mtimeMs)),
    version: `${found.size.toString(16)}-${found.mtimeNs.toString(16)}`,
  };
}

/** Endings of published files that shrink when they are compressed. */
const TEXT_ENDINGS = new Set([
  ".json",
  ".xml",
  ".csv",
  ".geojson",
  ".html",
  ".css",
  ".js",
  ".svg",
  ".txt",
  ".md",
  ".webmanifest",
]);

/** The payload of about one packet: what saves less arrives no sooner. */
const MIN_SAVED_BYTES = 1400;

const zipped = promisify(gzip);

/** Undefined where gzip does not save a packet, and for a file that is streamed. */
async function zippedIfSmaller(path: string, body: FileBody): Promise<Buffer | undefined> {
  if (!(body instanceof Buffer) || !TEXT_ENDINGS.has(extname(path))) return undefined;
  if (body.length < MIN_SAVED_BYTES) return undefined;
  const packed = await zipped(body);
  return body.length - packed.length < MIN_SAVED_BYTES ? undefined : packed;
}

function bytesOf({ identity, gzip }: SiteFile): number {
  return identity.body.length + (gzip?.body.length ?? 0);
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

interface Cached {
  readonly release: ServedFiles;
  readonly files: FileCache;
  readonly isOnDemand: boolean;
}

/**
 * Owns the file cache of the release being served; another release starts with an empty one. Documents of records that are no files
 * of the release are made here, with everything that their files would have.
 */
export class SiteFiles {
  readonly #releases: ReleaseSource;
  readonly #maxBytes: number;
  #cached: Cached | undefined;

  constructor(releases: ReleaseSource, maxBytes: number) {
    this.#releases = releases;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#cached?.files.bytes ?? 0;
  }

  /** A file in memory already, by the URL as it came in. */
  hot(url: string): SiteFile | undefined {
    const release = this.#release();
    return release === undefined ? undefined : this.#cacheOf(release).files.hot(url);
  }

  /** Whether `load` would have to make the document at this address, which costs more than reading a file. */
  mustMake(pathname: string): boolean {
    const release = this.#release();
    if (release === undefined || !("context" in release)) return false;
    const { files, isOnDemand } = this.#cacheOf(release);
    if (!isOnDemand || files.hot(pathname) !== undefined) return false;
    const path = sitePath(pathname);
    return path !== undefined && shownDocumentOf(release.context, path) !== undefined;
  }

  /**
   * A file missing here may be one of a release whose folder has just been removed: look again in the newer one. Throws PublicError 503
   * for a document that only a program of another version could make.
   */
  async load(pathname: string): Promise<SiteFile | undefined> {
    for (let release = this.#release(); release !== undefined; ) {
      const file = await this.#cacheOf(release).files.load(pathname);
      if (file !== undefined) return file;
      this.#releases.refresh();
      const newer = this.#release();
      if (newer === release) return undefined;
      release = newer;
    }
    return undefined;
  }

  #release(): ServedFiles | ServedRelease | undefined {
    return this.#releases.current ?? this.#releases.filesOnly;
  }

  #cacheOf(release: ServedFiles | ServedRelease): Cached {
    if (this.#cached?.release !== release) {
      const isOnDemand = recordDocumentsOf(release.site) === "on-demand";
      const make = isOnDemand ? this.#makerOf(release) : undefined;
      const files = new FileCache(release.site, this.#maxBytes, make, release.publishedAt);
      this.#cached = { release, isOnDemand, files };
    }
    return this.#cached;
  }

  #makerOf(release: ServedFiles | ServedRelease): MakeFile {
    if (!("context" in release))
      return (path) => {
        if (recordDocumentOf(path) !== undefined) published(this.#releases);
        return undefined;
      };
    const site = new Site(release.context, release.site);
    return (path) =>
      // A newer release has closed this one's snapshot meanwhile: it is asked next.
      this.#releases.current === release ? shownDocumentOf(release.context, path)?.text(site) : undefined;
  }
}
