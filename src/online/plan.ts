import { ONLINE_RECHECK_DAYS, ONLINE_RETRY_DAYS } from "../contract/limits.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { OnlineSubject } from "./provider.ts";

/** The subjects whose turn it is at `now` (ms), at most `budget`: those never looked for first, then those looked for longest ago. */
export function planChecks(subjects: Iterable<OnlineSubject>, now: number, budget: number): OnlineSubject[] {
  return Array.from(subjects)
    .filter((subject) => isDue(subject, now))
    .sort((a, b) => lastLook(a) - lastLook(b) || a.record - b.record)
    .slice(0, budget);
}

/** An unknown verdict is checked again sooner than a known one: a failure does not use up the check of 30 days. */
function isDue({ lastCheck }: OnlineSubject, now: number): boolean {
  if (lastCheck === undefined) return true;
  const days = lastCheck.verdict === "unknown" ? ONLINE_RETRY_DAYS : ONLINE_RECHECK_DAYS;
  return now - lastCheck.checkedAt >= days * DAY_MS;
}

function lastLook({ lastCheck }: OnlineSubject): number {
  return lastCheck?.checkedAt ?? -1;
}
