import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { releasePaths } from "../kernel/home.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";

/** Maximum number of open snapshots; the oldest is closed first. */
const MAX_OPEN = 8;

/** Owns the open snapshots of kept releases that paging cursors refer to, other than the current one. */
export class KeptReleases {
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
