import { copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { hasErrorCode } from "../kernel/errors.ts";
import { isCompressible, isWorthwhile, TWINS, type TwinEnding } from "../kernel/files/compressed-twins.ts";
import { sha256Hex } from "../kernel/hash.ts";

/** The release that equal bytes are hard-linked from. */
export interface EarlierSite {
  readonly site: string;
  readonly hashes: ReadonlyMap<string, string>;
  readonly twins: ReadonlyMap<string, string> | undefined; // by their own paths; undefined in releases without a list of them
  readonly inputs: EarlierInputs;
}

/** The ledger that it was built from. */
export interface EarlierInputs {
  readonly tree_size: number;
  readonly last_sealed_row: number;
}

/**
 * The only writer of a release. It keeps the lists of written files and of their compressed twins: path below `site/` -> SHA-256. Writing a path
 * twice is a defect and throws.
 */
export class BuildEffects {
  readonly hashes = new Map<string, string>();
  readonly twins = new Map<string, string>();
  /** By public id, the hash of each record of which no document is a file: see record-index.ts. */
  readonly records = new Map<string, string>();
  written = 0;
  linked = 0;
  readonly #site: string;
  #earlier: EarlierSite | undefined;
  readonly #folders = new Set<string>();

  constructor(site: string, earlier: EarlierSite | undefined) {
    this.#site = site;
    this.#earlier = earlier;
  }

  write(path: string, body: string | Uint8Array, twins: TwinsWanted = "worthwhile"): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const hash = this.#claim(path, bytes);
    if (this.#link(path, hash, twins)) return;
    this.#put(path, bytes);
    if (twins === "worthwhile" && isCompressible(path)) this.#writeTwins(path, bytes);
    this.written += 1;
  }

  /** Links a file of the earlier release that cannot have changed; false, and nothing is done, if it cannot be linked. */
  keep(path: string, twins: TwinsWanted = "worthwhile"): boolean {
    const hash = this.#earlier?.hashes.get(path);
    if (hash === undefined) return false;
    this.#assertNew(path);
    this.#makeFolder(dirname(join(this.#site, path)));
    const isLinked = this.#link(path, hash, twins);
    if (isLinked) this.hashes.set(path, hash);
    return isLinked;
  }

  /** Stops linking from the earlier release, because it is damaged. */
  distrustEarlier(): void {
    this.#earlier = undefined;
  }

  /** Adds the files that a worker wrote; a path written twice throws. */
  merge({ hashes, twins, records, written, linked }: Written): void {
    for (const [path, hash] of hashes) this.#record(path, hash);
    for (const [path, hash] of twins) this.twins.set(path, hash);
    for (const [publicId, hash] of records) this.records.set(publicId, hash);
    this.written += written;
    this.linked += linked;
  }

  /** Returns the files written since the last call, for `merge`. */
  drain(): Written {
    const { written, linked } = this;
    const { hashes, twins, records } = this;
    const drained = { hashes: [...hashes], twins: [...twins], records: [...records], written, linked };
    for (const taken of [hashes, twins, records]) taken.clear();
    this.written = 0;
    this.linked = 0;
    return drained;
  }

  #claim(path: string, bytes: Uint8Array): string {
    const hash = sha256Hex(bytes);
    this.#record(path, hash);
    this.#makeFolder(dirname(join(this.#site, path)));
    return hash;
  }

  #record(path: string, hash: string): void {
    this.#assertNew(path);
    this.hashes.set(path, hash);
  }

  #assertNew(path: string): void {
    if (this.hashes.has(path)) throw new Error(`two parts of the build wrote ${path}`);
  }

  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
  }

  #link(path: string, hash: string, wanted: TwinsWanted): boolean {
    const earlier = this.#earlier;
    if (earlier?.hashes.get(path) !== hash) return false;
    const mayHaveTwins = wanted === "worthwhile" && isCompressible(path);
    if (mayHaveTwins && earlier.twins === undefined) return false;
    const twins = mayHaveTwins ? earlierTwins(earlier, path) : [];
    if (!linkAll([path, ...twins.map(([twin]) => twin)], earlier.site, this.#site)) return false;
    for (const [twin, twinHash] of twins) this.twins.set(twin, twinHash);
    this.linked += 1;
    return true;
  }

  #writeTwins(path: string, bytes: Uint8Array): void {
    let sent = bytes.length; // to whoever does not take the next twin
    for (const { ending } of TWINS) {
      if (!isWorthwhile(0, sent)) return; // not even the best compressor can save enough
      const body = COMPRESS[ending](bytes);
      if (!isWorthwhile(body.length, sent)) continue;
      sent = body.length;
      this.twins.set(path + ending, sha256Hex(body));
      this.#put(path + ending, body);
    }
  }

  #put(path: string, bytes: Uint8Array): void {
    writeFileSync(join(this.#site, path), bytes, { flag: "wx" });
  }
}

/** Whether a text file gets the compressed twins that save enough, or none whatever they save. */
export type TwinsWanted = "worthwhile" | "none";

const COMPRESS: Readonly<Record<TwinEnding, (bytes: Uint8Array) => Buffer>> = {
  ".gz": (bytes) => gzipSync(bytes, { level: 6 }),
  ".br": (bytes) =>
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
};

/** The files that a worker wrote, as plain data. */
export interface Written {
  readonly hashes: [string, string][];
  readonly twins: [string, string][];
  readonly records: [string, string][];
  readonly written: number;
  readonly linked: number;
}

function earlierTwins({ twins }: EarlierSite, path: string): [path: string, hash: string][] {
  return TWINS.flatMap(({ ending }) => {
    const hash = twins?.get(path + ending);
    return hash === undefined ? [] : [[path + ending, hash]];
  });
}

/** All of the files or, where one is gone from the earlier release, none. */
function linkAll(paths: readonly string[], from: string, to: string): boolean {
  for (const [at, path] of paths.entries())
    try {
      linkOrCopy(join(from, path), join(to, path));
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT")) throw error;
      for (const linked of paths.slice(0, at)) rmSync(join(to, linked));
      return false;
    }
  return true;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // A file system may refuse links (EPERM), have too many of one file (EMLINK), or be another one (EXDEV).
    if (!["EPERM", "EMLINK", "EXDEV"].some((code) => hasErrorCode(error, code))) throw error;
    copyFileSync(from, to);
  }
}
