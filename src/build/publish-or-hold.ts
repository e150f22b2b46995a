import { rmSync } from "node:fs";
import type { Home } from "../kernel/home.ts";
import { discardHeld, type HeldRelease, holdRelease } from "./stages/held.ts";
import { publishRelease } from "./stages/publish.ts";

/** What decides whether and when readers get a built release. */
export interface Publication {
  readonly home: Home;
  /** Set for a patch release, which leaves what is held: that is mended next. */
  readonly mends?: object | undefined;
  /** Undefined: it is published in any case. */
  readonly review?: ReleaseReview | undefined;
  /** Runs last; its lock stays until the release is published or held. Throws when it must be neither. */
  readonly beforePublish: (staging: string) => Promise<{ release(): void }>;
  /** Runs once readers get the new release. */
  readonly onPublished?: (() => void) | undefined;
}

export type Verdict = Pick<HeldRelease, "against" | "findings" | "held_at">;

export interface ReleaseReview {
  /** Compares the built release with the published one. */
  judge(staging: string): Verdict;
  /** Runs under the lock of publishing. */
  isHeld(verdict: Verdict): boolean;
}

interface Built {
  readonly staging: string;
  readonly releaseId: string;
  readonly verdict: Verdict | undefined;
}

export interface Published {
  readonly directory: string;
  readonly held: Verdict | null; // null: it is published
}

/** Publishes a built release, or holds it where the review says so. */
export async function publishOrHold(
  { staging, releaseId, verdict }: Built,
  inputs: Publication,
): Promise<Published> {
  const { home } = inputs;
  const lock = await inputs.beforePublish(staging);
  let directory: string;
  try {
    if (verdict !== undefined && inputs.review?.isHeld(verdict) === true) {
      directory = holdRelease(home, staging, { release_id: releaseId, ...verdict });
      return { directory, held: verdict };
    }
    directory = publishRelease(home, staging, releaseId);
    if (inputs.mends === undefined) discardHeld(home);
  } finally {
    lock.release();
  }
  inputs.onPublished?.();
  rmSync(home.lastRelease, { force: true }); // superseded by this release
  return { directory, held: null };
}
