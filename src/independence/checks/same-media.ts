import { INDEPENDENCE } from "../parameters.ts";
import { type Frame, isSameFrame } from "./frame.ts";
import type { RowCheck } from "./row-check.ts";

/** The picture was used before, for another look. Only the later row is set aside. Applies to every source. */
export const sameMedia: RowCheck = {
  code: "same_media",
  start: () => {
    const firsts = new Map<string, Frame>();
    const repeated = new Map<string, Frame[]>();
    return (trace) => {
      if (trace.media === null) return false;
      const first = firsts.get(trace.media);
      if (first === undefined) {
        firsts.set(trace.media, trace);
        return false;
      }
      const frames = repeated.get(trace.media) ?? [first];
      repeated.set(trace.media, frames);
      const isOneLook =
        frames.length < INDEPENDENCE.frame.assets && frames.every((frame) => isSameFrame(frame, trace));
      if (isOneLook) frames.push(trace);
      return !isOneLook;
    };
  },
};
