import type { ServedFiles } from "../../resources/release-store.ts";
import type { ReleaseSource } from "../reads/release-source.ts";
import { FileCache, type SiteFile } from "./file-cache.ts";

/** Owns the file cache of the release being served; another release starts with an empty one. */
export class SiteFiles {
  readonly #releases: ReleaseSource;
  readonly #maxBytes: number;
  #cached: { readonly directory: string; readonly files: FileCache } | undefined;

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
    return release === undefined ? undefined : this.#filesOf(release).hot(url);
  }

  /** A file missing here may be one of a release whose folder has just been removed: look again in the newer one. */
  async load(pathname: string): Promise<SiteFile | undefined> {
    const release = this.#release();
    if (release === undefined) return undefined;
    const file = await this.#filesOf(release).load(pathname);
    if (file !== undefined) return file;
    this.#releases.refresh();
    const newer = this.#release();
    return newer === undefined || newer === release ? undefined : this.#filesOf(newer).load(pathname);
  }

  #release(): ServedFiles | undefined {
    return this.#releases.current ?? this.#releases.filesOnly;
  }

  #filesOf(release: ServedFiles): FileCache {
    if (this.#cached?.directory !== release.directory) {
      this.#cached = { directory: release.directory, files: new FileCache(release.site, this.#maxBytes) };
    }
    return this.#cached.files;
  }
}
