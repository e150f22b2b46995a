/** How many decisions files of real visits ask that nobody gave industries for; in the long form, where they are at hand. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { standardClassifier } from "../../src/intake/matching/classify.ts";
import { applyDueChanges } from "../../src/intake/sources/due-changes.ts";
import { judgeLedger } from "../../src/intake/sources/judge-ledger.ts";
import type { LedgerWriter } from "../../src/ledger/writer.ts";
import { queueOf } from "../../src/operations/review-queue.ts";
import type { ReviewQueue } from "../../src/review/queue/model.ts";
import { isTrial } from "../../tests/support/trial.ts";
import { feed } from "./feed.ts";
import { REAL_SETS, readRealSet } from "./real-sets.ts";

const SHARED = join(import.meta.dirname, "..", "..", "..", "shared", "observations");
const NIGHTS = 10;
/** Together some 13,000 lines. */
const SHARES: readonly (readonly [name: string, share: number])[] = [
  ["chicago", 4],
  ["san-francisco", 5],
];

/** The queue after the last night of a set. */
async function queueAfter(name: string, share: number): Promise<ReviewQueue | undefined> {
  const real = REAL_SETS.find((each) => each.name === name);
  const classifier = standardClassifier();
  const set = real && readRealSet(SHARED, real, classifier, share);
  if (set === undefined) return undefined;
  let queue: ReviewQueue | undefined;
  const afterNight = (ledger: LedgerWriter, night: number) => {
    judgeLedger(ledger);
    applyDueChanges(ledger);
    ledger.seal({ now: true });
    if (night === NIGHTS - 1) queue = queueOf({ ledger, reports: [], now: ledger.now() });
  };
  await feed(set, { classifier, nights: NIGHTS, afterNight });
  return queue;
}

test("two archives without industry codes ask at most 300 decisions", {
  timeout: 900_000,
}, async (context) => {
  if (!isTrial) context.skip("in the long form only (npm run trial)");
  let decisions = 0;
  let unclassified = 0;
  for (const [name, share] of SHARES) {
    const queue = await queueAfter(name, share);
    if (queue === undefined) return context.skip(`the file of ${name} is not in ${SHARED}`);
    expect(queue.counts.find(({ kind }) => kind === "retire")).toBeUndefined(); // all of it is years old
    decisions += queue.counts.reduce((sum, count) => sum + count.decisions, 0);
    unclassified += queue.not_asked[0]?.number ?? 0;
  }
  expect(unclassified).toBeGreaterThan(100);
  expect(decisions).toBeLessThanOrEqual(300);
});
