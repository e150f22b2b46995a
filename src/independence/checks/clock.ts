import { DAY_MS } from "../../kernel/time.ts";
import { CLOCK_MS } from "../parameters.ts";
import { hasOwnTime, type RowCheck } from "./row-check.ts";

/**
 * The observation is dated long before it was received, or after. Limits how far an observer can backdate: days of the
 * past cannot be filled in later.
 */
export const clock: RowCheck = {
  code: "clock",
  start: () => (trace) => {
    if (!hasOwnTime(trace)) return false;
    return trace.instant < trace.acceptedDay - CLOCK_MS || trace.instant >= trace.acceptedDay + DAY_MS;
  },
};
