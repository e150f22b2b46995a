import { existsSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import type { ReadContext } from "./define.ts";

/** A published release as the server reads it. */
export interface ServedRelease {
  readonly directory: string;
  readonly site: string;
  readonly context: ReadContext;
}

/** Open snapshots of kept releases beside the current one; the one opened first goes first. */
const MAX_OLDER = 8;

/**
 * Owns the open snapshots: the current release's, and those of kept releases that a paging cursor asked for. `refresh`
 * follows the symbolic link, so a new release is picked up without a restart. Both `refresh` and a cursor read may close
 * older snapshots: a caller takes `current` anew after every await.
 */
export class ReleaseStore {
  readonly #home: Home;
  readonly #older = new Map<string, Snapshot>();
  #current: ServedRelease | undefined;
  #refused: string | undefined;

  constructor(home: Home) {
    this.#home = home;
  }

  /** The release being served, or undefined before the first one. */
  get current(): ServedRelease | undefined {
    return this.#current;
  }

  /**
   * Follow the link to a newer release, if there is one, and let go of releases that are gone. Cheap: one readlink. Returns
   * whether it changed. Throws OperatorError, once, for a new release that cannot be read; the one before then stays.
   */
  refresh(): boolean {
    this.#closeRemoved();
    const directory = this.#linkTarget();
    if (directory === undefined || directory === this.#current?.directory || directory === this.#refused)
      return false;
    this.#refused = directory; // until it proves readable
    const snapshot = this.#takeOlder(directory) ?? openSnapshot(releasePaths(directory).snapshot);
    this.#refused = undefined;
    this.#current?.context.snapshot.close();
    this.#current = {
      directory,
      site: releasePaths(directory).site,
      context: {
        snapshot,
        citySnapshot: (city, id) => this.#kept((each) => each.city(city)?.snapshotId === id),
        releaseSnapshot: (id) => this.#kept((each) => each.release().releaseId === id),
      },
    };
    return true;
  }

  close(): void {
    this.#current?.context.snapshot.close();
    this.#current = undefined;
    for (const directory of [...this.#older.keys()]) this.#takeOlder(directory)?.close();
  }

  #linkTarget(): string | undefined {
    try {
      return join(dirname(this.#home.current), readlinkSync(this.#home.current));
    } catch {
      return undefined; // nothing published yet
    }
  }

  /** The release being served, then the newest: a city that did not change has the same snapshot id in several. */
  #kept(isMeant: (snapshot: Snapshot) => boolean): Snapshot | undefined {
    const current = this.#current?.context.snapshot;
    if (current !== undefined && isMeant(current)) return current;
    this.#closeRemoved();
    for (const directory of this.#olderNewestFirst()) {
      const snapshot = this.#olderAt(directory);
      if (snapshot !== undefined && isMeant(snapshot)) return snapshot;
    }
    return undefined;
  }

  #olderNewestFirst(): string[] {
    return readdirSync(this.#home.releases)
      .filter((name) => !name.startsWith("."))
      .map((name) => join(this.#home.releases, name))
      .filter((directory) => directory !== this.#current?.directory)
      .map((directory) => ({ directory, builtAt: modifiedAt(directory) }))
      .sort((a, b) => b.builtAt - a.builtAt)
      .map(({ directory }) => directory);
  }

  /** A release of another version of the program, or one being removed just now, is as good as gone. */
  #olderAt(directory: string): Snapshot | undefined {
    const known = this.#older.get(directory);
    if (known !== undefined) return known;
    try {
      const snapshot = openSnapshot(releasePaths(directory).snapshot);
      this.#older.set(directory, snapshot);
      const [first] = this.#older.keys();
      if (this.#older.size > MAX_OLDER && first !== undefined) this.#takeOlder(first)?.close();
      return snapshot;
    } catch (error) {
      if (error instanceof OperatorError) return undefined;
      throw error;
    }
  }

  /** An open snapshot would go on answering after its release was deleted, be it for a redaction. */
  #closeRemoved(): void {
    for (const directory of [...this.#older.keys()]) {
      if (!existsSync(releasePaths(directory).snapshot)) this.#takeOlder(directory)?.close();
    }
  }

  #takeOlder(directory: string): Snapshot | undefined {
    const snapshot = this.#older.get(directory);
    this.#older.delete(directory);
    return snapshot;
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0; // removed since it was listed
    throw error;
  }
}

/** The name under which a release is reported to operators. */
export function releaseName(release: ServedRelease): string {
  return basename(release.directory);
}

/** A context over one snapshot alone, for a thread or process that reads no older releases. */
export function contextAt(snapshotPath: string): ReadContext & { close(): void } {
  const snapshot = openSnapshot(snapshotPath);
  return { ...contextOf(snapshot), close: () => snapshot.close() };
}

/** The same over an open snapshot: it answers its own cursors and no others. */
export function contextOf(snapshot: Snapshot): ReadContext {
  return {
    snapshot,
    citySnapshot: (city, id) => (snapshot.city(city)?.snapshotId === id ? snapshot : undefined),
    releaseSnapshot: (id) => (snapshot.release().releaseId === id ? snapshot : undefined),
  };
}
