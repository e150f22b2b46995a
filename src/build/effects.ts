import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { INDUSTRIES } from "../contract/cities/industry.ts";
import { loadGazetteer } from "../intake/places/gazetteer.ts";
import { hasErrorCode } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import { readOwnManifest } from "../proof/audit/release-manifest.ts";
import type { SnapshotReference } from "../snapshot/build.ts";

/** The release that equal bytes are hard-linked from. */
export interface EarlierSite {
  readonly site: string;
  readonly hashes: ReadonlyMap<string, string>;
  readonly inputs: EarlierInputs;
}

/** The ledger that it was built from. */
export interface EarlierInputs {
  readonly tree_size: number;
  readonly last_sealed_row: number;
}

/** The only writer of a release. It lists the written files: path below `site/` -> SHA-256. Writing a path twice is a defect and throws. */
export class BuildEffects {
  readonly hashes = new Map<string, string>();
  written = 0;
  linked = 0;
  readonly #site: string;
  #earlier: EarlierSite | undefined;
  readonly #folders = new Set<string>();

  constructor(site: string, earlier: EarlierSite | undefined) {
    this.#site = site;
    this.#earlier = earlier;
  }

  write(path: string, body: string | Uint8Array): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const hash = this.#claim(path, bytes);
    if (this.#link(path, hash)) return;
    writeFileSync(join(this.#site, path), bytes, { flag: "wx" });
    this.written += 1;
  }

  /** Begins a file that memory should not hold. Its bytes count once it is closed. */
  open(path: string): OpenFile {
    this.#assertNew(path);
    const out = join(this.#site, path);
    this.#makeFolder(dirname(out));
    const file = openSync(out, "wx");
    const digest = createHash("sha256");
    let bytes = 0;
    return {
      append(part) {
        digest.update(part);
        for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
        bytes += part.length;
      },
      close: () => {
        closeSync(file);
        const sha256 = digest.digest("hex");
        this.#record(path, sha256);
        if (!this.#linkOver(path, sha256)) this.written += 1;
        return { sha256, bytes };
      },
    };
  }

  /** Links a file of the earlier release that cannot have changed; false, and nothing is done, if it cannot be linked. */
  keep(path: string): boolean {
    const hash = this.#earlier?.hashes.get(path);
    if (hash === undefined) return false;
    this.#assertNew(path);
    this.#makeFolder(dirname(join(this.#site, path)));
    const isLinked = this.#link(path, hash);
    if (isLinked) this.hashes.set(path, hash);
    return isLinked;
  }

  /** As `keep`, for files that belong together: all of them or none. */
  keepAll(paths: readonly string[]): boolean {
    const earlier = this.#earlier;
    const isThere = (path: string) => earlier?.hashes.has(path) && existsSync(join(earlier.site, path));
    return paths.every(isThere) && paths.every((path) => this.keep(path));
  }

  /** The text of a file of the earlier release; undefined where there is none, or it is another one than was published. */
  earlierText(path: string): string | undefined {
    const earlier = this.#earlier;
    const hash = earlier?.hashes.get(path);
    const file = earlier && join(earlier.site, path);
    if (hash === undefined || file === undefined || !existsSync(file)) return undefined;
    const text = readFileSync(file, "utf8");
    return sha256Hex(text) === hash ? text : undefined;
  }

  /** Stops linking from the earlier release, because it is damaged. */
  distrustEarlier(): void {
    this.#earlier = undefined;
  }

  /** Adds the files that a worker wrote; a path written twice throws. */
  merge({ hashes, written, linked }: Written): void {
    for (const [path, hash] of hashes) this.#record(path, hash);
    this.written += written;
    this.linked += linked;
  }

  /** Returns the files written since the last call, for `merge`. */
  drain(): Written {
    const { hashes, written, linked } = this;
    const drained = { hashes: [...hashes], written, linked };
    hashes.clear();
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

  /** As `#link`, in place of a file that was written before its hash was known. */
  #linkOver(path: string, hash: string): boolean {
    const out = join(this.#site, path);
    const written = `${out}.written`;
    renameSync(out, written);
    const isLinked = this.#link(path, hash);
    if (isLinked) rmSync(written);
    else renameSync(written, out);
    return isLinked;
  }

  /** False where the earlier release has other bytes, or the file is gone from it. */
  #link(path: string, hash: string): boolean {
    const earlier = this.#earlier;
    if (earlier?.hashes.get(path) !== hash) return false;
    try {
      linkOrCopy(join(earlier.site, path), join(this.#site, path));
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return false;
      throw error;
    }
    this.linked += 1;
    return true;
  }
}

export interface OpenFile {
  append(part: Uint8Array): void;
  close(): { readonly sha256: string; readonly bytes: number };
}

/** The files that a worker wrote, as plain data. */
export interface Written {
  readonly hashes: [string, string][];
  readonly written: number;
  readonly linked: number;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // A file system may refuse links (EPERM), have too many of one file (EMLINK), or be another one (EXDEV).
    if (!["EPERM", "EMLINK", "EXDEV"].some((code) => hasErrorCode(error, code))) throw error;
    copyFileSync(from, to);
    const { atime, mtime } = statSync(from);
    utimesSync(to, atime, mtime); // when these bytes were first published
  }
}

/** The hashes of an earlier release's site, from its manifest; undefined without an earlier release. */
export function readEarlierSite(site: string | undefined): EarlierSite | undefined {
  if (site === undefined) return undefined;
  const { manifest } = releasePaths(dirname(site));
  if (!existsSync(manifest)) return undefined;
  const { files, inputs } = readOwnManifest(manifest);
  return { site, hashes: new Map(Object.entries(files)), inputs };
}

/** The reference data of a release: the imported gazetteer, or else the package's, and the industry taxonomy. */
export function loadReference(home: Home): SnapshotReference {
  return { gazetteer: loadGazetteer(home.gazetteer), industries: INDUSTRIES };
}
