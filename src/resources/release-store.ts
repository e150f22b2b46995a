import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PUBLIC_SNAPSHOT } from "../contract/service/exports.ts";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import { OtherStoreVersion } from "../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import type { RecordDocuments } from "../kernel/record-documents.ts";
import { httpDate } from "../kernel/time.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import type { ReadContext } from "./define.ts";

/** Results by keys, of which they are a function in one release. A new release forgets them all. */
export class ReleaseMemory<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (result: T, key: string) => number;
  #snapshot: ReadContext["snapshot"] | undefined;
  #results = new BoundedCache<string, T>(0);

  constructor(maxBytes: number, bytesOf: (result: T, key: string) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  /** What is remembered of a release. */
  of({ snapshot }: ReadContext): BoundedCache<string, T> {
    if (snapshot !== this.#snapshot) {
      this.#snapshot = snapshot;
      this.#results = new BoundedCache(this.#maxBytes / 2, this.#bytesOf); // it holds twice its limit
    }
    return this.#results;
  }
}

/** Maximum number of open snapshots; the oldest is closed first. */
const MAX_OPEN = 8;

/** Owns the open snapshots of earlier releases that paging cursors refer to, other than the current one. */
export class EarlierReleases {
  readonly #folder: string;
  readonly #open = new Map<string, Snapshot>(); // by directory

  /** `folder`: contains one directory per release. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the newest matching release other than `current`. Closes snapshots of deleted releases. */
  find(isMeant: (snapshot: Snapshot) => boolean, current: string | undefined): Snapshot | undefined {
    this.closeRemoved();
    for (const directory of this.#newestFirst()) {
      const snapshot = directory === current ? undefined : this.#at(directory);
      if (snapshot !== undefined && isMeant(snapshot)) return snapshot;
    }
    return undefined;
  }

  /** Transfers ownership of a directory's open snapshot to the caller. */
  take(directory: string): Snapshot | undefined {
    const snapshot = this.#open.get(directory);
    this.#open.delete(directory);
    return snapshot;
  }

  // An open snapshot would keep answering after its release was deleted, for example for a redaction.
  closeRemoved(): void {
    for (const directory of [...this.#open.keys()]) {
      if (!existsSync(releasePaths(directory).snapshot)) this.take(directory)?.close();
    }
  }

  close(): void {
    for (const directory of [...this.#open.keys()]) this.take(directory)?.close();
  }

  #newestFirst(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => !name.startsWith("."))
      .map((name) => join(this.#folder, name))
      .map((directory) => ({ directory, builtAt: modifiedAt(directory) }))
      .sort((a, b) => b.builtAt - a.builtAt)
      .map(({ directory }) => directory);
  }

  /** Treats releases of another program version, and releases being removed, as expired. */
  #at(directory: string): Snapshot | undefined {
    const known = this.#open.get(directory);
    if (known !== undefined) return known;
    try {
      const snapshot = openSnapshot(releasePaths(directory).snapshot);
      this.#open.set(directory, snapshot);
      const [first] = this.#open.keys();
      if (this.#open.size > MAX_OPEN && first !== undefined) this.take(first)?.close();
      return snapshot;
    } catch (error) {
      if (error instanceof OperatorError) return undefined;
      throw error;
    }
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0; // removed after it was listed
    throw error;
  }
}

/** The manifest is stamped by every publication (src/build/stages/first-published.ts). */
function publishedAt(directory: string): string | undefined {
  const time = modifiedAt(releasePaths(directory).manifest);
  return time === 0 ? undefined : httpDate(time);
}

/** A release of which the files alone can be served. */
export interface ServedFiles {
  readonly directory: string;
  readonly site: string;
  /** When it was published, as HTTP writes dates; undefined without a manifest. */
  readonly publishedAt: string | undefined;
}

export interface ServedRelease extends ServedFiles {
  readonly context: ReadContext;
}

/**
 * Owns the open snapshots: the current release's, and those of earlier releases that paging cursors name. `refresh` follows the
 * symbolic link, so a new release is picked up without a restart. Both `refresh` and a cursor read may close older snapshots:
 * callers read `current` again after every await.
 */
export class ReleaseStore {
  readonly #home: Home;
  readonly #earlier: EarlierReleases;
  #current: ServedRelease | undefined;
  #filesOnly: ServedFiles | undefined;
  #refused: string | undefined;

  constructor(home: Home) {
    this.#home = home;
    this.#earlier = new EarlierReleases(home.releases);
  }

  /** The current release; undefined before the first. */
  get current(): ServedRelease | undefined {
    return this.#current;
  }

  /** The current release where another version of the program made it, and none of this version's is served. */
  get filesOnly(): ServedFiles | undefined {
    return this.#filesOnly;
  }

  /**
   * Follows the link to a newer release, if there is one, and closes deleted releases. Cheap: one readlink. Returns whether it
   * changed. Throws OperatorError, once, for a new release that cannot be read; the previous one then stays, and where there is none,
   * the files of a release that another version made.
   */
  refresh(): boolean {
    this.#earlier.closeRemoved();
    const directory = this.#linkTarget();
    if (directory === undefined || directory === this.#current?.directory || directory === this.#refused)
      return false;
    this.#refused = directory; // until it is readable
    const snapshot = this.#open(directory);
    this.#refused = undefined;
    this.#filesOnly = undefined;
    this.#current?.context.snapshot.close();
    this.#current = {
      directory,
      site: releasePaths(directory).site,
      publishedAt: publishedAt(directory),
      context: contextAmong(snapshot, directory, this.#earlier),
    };
    return true;
  }

  close(): void {
    this.#current?.context.snapshot.close();
    this.#current = undefined;
    this.#earlier.close();
  }

  #open(directory: string): Snapshot {
    const { site, snapshot } = releasePaths(directory);
    try {
      return this.#earlier.take(directory) ?? openSnapshot(snapshot);
    } catch (error) {
      if (this.#current === undefined && error instanceof OtherStoreVersion)
        this.#filesOnly = { directory, site, publishedAt: publishedAt(directory) };
      throw error;
    }
  }

  #linkTarget(): string | undefined {
    try {
      return join(dirname(this.#home.current), readlinkSync(this.#home.current));
    } catch {
      return undefined; // nothing published yet
    }
  }
}

/** How the release with this site has the documents of records. */
export function recordDocumentsOf(site: string): RecordDocuments {
  return existsSync(join(site, PUBLIC_SNAPSHOT)) ? "on-demand" : "files";
}

/** Name of a release in messages to operators. */
export function releaseName(release: ServedFiles): string {
  return basename(release.directory);
}

/** Context over a single snapshot, for threads or processes that read no older releases. Many of them may be open at once. */
export function contextAt(snapshotPath: string): ReadContext & { close(): void } {
  const snapshot = openSnapshot(snapshotPath, { isMapped: false });
  return { ...contextOf(snapshot), close: () => snapshot.close() };
}

/** Context over an open snapshot, which accepts only its own cursors. */
export function contextOf(snapshot: Snapshot): ReadContext {
  return findingContext(snapshot, (isMeant) => (isMeant(snapshot) ? snapshot : undefined));
}

/** Context over a release's snapshot that also accepts cursors of earlier releases. */
export function contextWithEarlier(snapshotPath: string): ReadContext & { close(): void } {
  const directory = dirname(snapshotPath);
  const snapshot = openSnapshot(snapshotPath);
  const earlier = new EarlierReleases(dirname(directory));
  return {
    ...contextAmong(snapshot, directory, earlier),
    close() {
      snapshot.close();
      earlier.close();
    },
  };
}

/** Prefers the current release, then the newest: an unchanged city has the same snapshot id in several releases. */
function contextAmong(snapshot: Snapshot, directory: string, earlier: EarlierReleases): ReadContext {
  return findingContext(snapshot, (isMeant) =>
    isMeant(snapshot) ? snapshot : earlier.find(isMeant, directory),
  );
}

function findingContext(
  snapshot: Snapshot,
  find: (isMeant: (snapshot: Snapshot) => boolean) => Snapshot | undefined,
): ReadContext {
  return {
    snapshot,
    citySnapshot: (city, id) => find((each) => each.city(city)?.snapshotId === id),
    releaseSnapshot: (id) => find((each) => each.release().releaseId === id),
  };
}
