import type { Secret } from "../../kernel/secret.ts";
import type { Clock } from "../../kernel/time.ts";

export interface UpgradeOptions {
  readonly scratch: string; // an existing folder
  readonly stateUrl: Secret | undefined;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  /** Free bytes on the disk of a path. */
  readonly freeBytes: (path: string) => number;
  readonly say: (line: string) => void;
  /** Hears the folder of the copies as soon as it exists. */
  readonly onFolder?: (folder: string) => void;
}

/** What becomes of one part of the home. */
export interface Part {
  readonly part: "ledger" | "state" | "release";
  readonly from: string;
  readonly to: string;
  readonly changes: readonly string[];
  /** By step, measured on the copy; null where nothing was copied. */
  readonly seconds: Readonly<Record<string, number>> | null;
  readonly bytes: { readonly before: number; readonly after: number } | null;
  /** Until when the version before can go on with it, and how to go back later. */
  readonly going_back: string;
  /** Why it could not be rehearsed; null where it was. */
  readonly not_rehearsed: string | null;
}
