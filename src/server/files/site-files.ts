import { recordDocumentsOf, type ServedFiles, type ServedRelease } from "../../resources/release-store.ts";
import { recordDocumentOf, shownDocumentOf } from "../../routes/record-documents.ts";
import { Site } from "../../site/site.ts";
import { published } from "../reads/answer-read.ts";
import type { ReleaseSource } from "../reads/release-source.ts";
import { FileCache, type MakeFile, type SiteFile } from "./file-cache.ts";
import { sitePath } from "./site-path.ts";

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
      this.#cached = { release, isOnDemand, files: new FileCache(release.site, this.#maxBytes, make) };
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
