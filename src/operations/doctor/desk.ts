import { existsSync } from "node:fs";
import { readDecisions, readQueue } from "../../desk/crossing.ts";
import { deskPaths } from "../../kernel/home.ts";
import { HOUR_MS, isoTime } from "../../kernel/time.ts";
import { count } from "../../render/words/format.ts";
import { type CheckContext, type Finding, findingIf, findingOf } from "./check.ts";

/** A decision becomes a row at once, or when the night that is writing ends. */
const WAIT_MS = 2 * HOUR_MS;
/** Each night writes the view anew. */
const OLD_MS = 26 * HOUR_MS;
const READ = 1000;

/** The review desk, where there is one: decisions that nobody takes, and a view that nobody writes. */
export function* reviewDesk({ home, now }: CheckContext): Generator<Finding> {
  const paths = deskPaths(home);
  if (!existsSync(paths.view)) return;
  const waiting = readDecisions(paths.decisions, READ).decisions.filter(({ at }) => at < now - WAIT_MS);
  yield* findingIf(
    waiting.length > 0,
    `${count(waiting.length, "decision waits", "decisions wait")} to become rows; the oldest is of ${isoTime(waiting[0]?.at ?? now)}`,
    "run `presence desk apply`, and check that its unit is on (`systemctl status presence-desk-apply.path`)",
  );
  yield* viewFindings(paths.queue, now);
}

const WRITE = "run `presence desk view`";

function viewFindings(path: string, now: number): Finding[] {
  try {
    const queue = readQueue(path);
    if (queue === undefined) return [{ problem: "the review desk has no queue to show", mend: WRITE }];
    return findingIf(
      Date.parse(queue.made_at) < now - OLD_MS,
      `the review desk shows the queue of ${queue.made_at}, although each night rewrites it`,
      `${WRITE}, and read what the last night says (\`journalctl -u presence-nightly\`)`,
    );
  } catch (error) {
    return [findingOf(error, WRITE)];
  }
}
