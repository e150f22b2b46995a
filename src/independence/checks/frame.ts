import { FRAME_MS, INDEPENDENCE } from "../parameters.ts";
import { type EnteringTrace, isWithin } from "../trace.ts";

/** What is kept of a row to tell whether a later one may show the same picture. */
export type Frame = Pick<EnteringTrace, "observer" | "instant" | "lat" | "lng" | "asset">;

/** Whether two rows are one look at two assets: one picture of a street shows several signs. */
export function isSameFrame(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset !== second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS &&
    isWithin(INDEPENDENCE.frame.meters, first, second)
  );
}

/** Whether an observer took a second picture of one sign on the spot: `same_look` decides about that. */
export function isSecondPicture(first: Frame, second: Frame): boolean {
  return (
    first.observer === second.observer &&
    first.asset === second.asset &&
    Math.abs(first.instant - second.instant) <= FRAME_MS
  );
}
