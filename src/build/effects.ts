import { copyFileSync, existsSync, linkSync, mkdirSync, writeFileSync } from "node:fs";
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

  write(path: string, body: string | Uint8Array): void {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const hash = this.#claim(path, bytes);
    if (this.#link(path, hash)) return;
    writeFileSync(join(this.#site, path), bytes, { flag: "wx" });
    this.written += 1;
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

  /** Stops linking from the earlier release, because it is damaged. */
  distrustEarlier(): void {
    this.#earlier = undefined;
  }

  /** Adds the files that a worker wrote; a path written twice throws. */
  merge({ hashes, records, written, linked }: Written): void {
    for (const [path, hash] of hashes) this.#record(path, hash);
    for (const [publicId, hash] of records) this.records.set(publicId, hash);
    this.written += written;
    this.linked += linked;
  }

  /** Returns the files written since the last call, for `merge`. */
  drain(): Written {
    const { hashes, records, written, linked } = this;
    const drained = { hashes: [...hashes], records: [...records], written, linked };
    for (const taken of [hashes, records]) taken.clear();
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

/** The files that a worker wrote, as plain data. */
export interface Written {
  readonly hashes: [string, string][];
  readonly records: [string, string][];
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
