import { OperatorError } from "./errors.ts";

/** A store of the program (ledger, state, snapshot, backup) and the versions of it that this program reads. */
export interface StoreFormat {
  /** Completes "the … was written by": `ledger`, `state`, `snapshot`, `backup`. */
  readonly store: string;
  /** What this program writes. Each store counts from 1, which presence 2.0.0 wrote first. */
  readonly version: number;
  /** The oldest version that this program reads, or migrates on opening for writing. */
  readonly oldest: number;
  /** What to do about an older one that is not migrated: "run `presence build`". */
  readonly remedy: string;
}

/** The version of every store that presence 1.x wrote, recognized by its application id or its marks. */
export const VERSION_OF_1X = 0;

/** A store of a version that this program does not read. */
export class OtherStoreVersion extends OperatorError {
  readonly version: number;
  readonly isNewer: boolean;

  constructor(path: string, format: StoreFormat, version: number) {
    super(`${path}: ${refusal(format, version)}`);
    this.version = version;
    this.isNewer = version > format.version;
  }
}

/** Throws OtherStoreVersion for a version that this program neither reads nor migrates. */
export function assertStoreVersion(path: string, format: StoreFormat, version: number): void {
  if (version > format.version || version < format.oldest) throw new OtherStoreVersion(path, format, version);
}

function refusal({ store, version: own, oldest, remedy }: StoreFormat, version: number): string {
  if (version > own)
    return `the ${store} was written by a newer version of presence (format ${version}; this one reads up to ${own}): install that version, or a later one`;
  if (version === VERSION_OF_1X)
    return `the ${store} was written by presence 1.x, whose formats no later version reads: ${remedy}`;
  return `the ${store} was written by an older version of presence (format ${version}; this one reads from ${oldest}): ${remedy}`;
}
