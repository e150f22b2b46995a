import { basename } from "node:path";
import type { ReleaseReview } from "../build/publish-or-hold.ts";
import { heldRelease } from "../build/stages/held.ts";
import { currentRelease } from "../build/stages/publish.ts";
import type { Home } from "../kernel/home.ts";
import { isoTime } from "../kernel/time.ts";
import { type CommandContext, homeOf } from "./context.ts";

/** The release that a patch mends: the published one, or the one that is held. */
export interface Target {
  readonly isHeld: boolean;
  readonly find: (home: Home) => string | undefined; // its folder
  readonly review: (context: CommandContext) => ReleaseReview | undefined;
}

export const PUBLISHED: Target = { isHeld: false, find: currentRelease, review: () => undefined };
export const HELD: Target = {
  isHeld: true,
  find: (home) => heldRelease(home)?.directory,
  review: reviewAgain,
};

/** The findings stay: what an erasure takes out counts in no bound. */
function reviewAgain(context: CommandContext): ReleaseReview {
  const home = homeOf(context);
  return {
    judge() {
      const [held, published] = [heldRelease(home), currentRelease(home)];
      return {
        against: published === undefined ? null : basename(published),
        findings: held?.findings ?? [],
        held_at: held?.held_at ?? isoTime(context.clock()),
      };
    },
    isHeld: () => true,
  };
}
