import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";

/** Snapshots that are open at once; the one opened first is closed first. */
const MAX_OPEN = 8;

/** Owns the open snapshots of kept releases beside the current one, those that a paging cursor asked for. */
export class KeptReleases {
  readonly #folder: string;
  readonly #open = new Map<string, Snapshot>(); // by directory

  /** `folder`: where the releases lie, one directory each. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest release that is meant, other than that of directory `current`. Closes those whose release was deleted. */
  find(isMeant: (snapshot: Snapshot) => boolean, current: string | undefined): Snapshot | undefined {
    this.closeRemoved();
    for (const directory of this.#newestFirst()) {
      const snapshot = directory === current ? undefined : this.#at(directory);
      if (snapshot !== undefined && isMeant(snapshot)) return snapshot;
    }
    return undefined;
  }

  /** Hands over the open snapshot of a directory, which the caller then owns. */
  take(directory: string): Snapshot | undefined {
    const snapshot = this.#open.get(directory);
    this.#open.delete(directory);
    return snapshot;
  }

  /** An open snapshot would go on answering after its release was deleted, be it for a redaction. */
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

  /** A release of another version of the program, or one being removed just now, is as good as gone. */
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
    if (hasErrorCode(error, "ENOENT")) return 0; // removed since it was listed
    throw error;
  }
}
