import { expect, test } from "vitest";
import type { IngestSummary } from "../ingest.ts";
import { OUTCOME_BOUNDS, shortfall } from "./outcome.ts";

function summary(changes: Partial<IngestSummary>): IngestSummary {
  const none = { read: 0, accepted: 0, looks: 0, known: 0, rejected: 0, withoutSource: 0, newNames: 0 };
  return { ...none, rejectedByReason: {}, batch: "b7", isContinued: false, ...changes };
}

test.for<[string, Partial<IngestSummary>, string | undefined]>([
  ["an empty file", {}, "the file is empty: it has no line"],
  [
    "nothing came in",
    { read: 15, rejected: 15 },
    "nothing came in: all 15 lines were rejected; see the rejects file",
  ],
  [
    "too little came in",
    { read: 100, accepted: 49, rejected: 51 },
    "51 of 100 lines were rejected, more than --max-rejected 0.5 allows; what was accepted waits as batch b7: see the rejects file",
  ],
  ["enough came in", { read: 100, accepted: 50, rejected: 50 }, undefined],
  ["all of it opted out", { read: 9, rejected: 9, rejectedByReason: { opted_out: 9 } }, undefined],
  ["all known", { read: 100, known: 100 }, undefined],
  ["a file with rejected lines again", { read: 100, known: 90, rejected: 10 }, undefined],
  [
    "too little is new",
    { read: 100, accepted: 9, known: 91 },
    "91 of 100 lines were known already, more than --max-known 0.9 allows for a file with new lines; what was accepted waits as batch b7",
  ],
  ["the rest of a run that was cut off", { read: 100, accepted: 9, known: 91, isContinued: true }, undefined],
  ["looks alone", { read: 3, looks: 3 }, undefined],
])("%s", ([, changes, said]) => {
  expect(shortfall(summary(changes), OUTCOME_BOUNDS)).toBe(said);
});

test("the bounds are options", () => {
  const bad = summary({ read: 100, accepted: 1, rejected: 99 });
  expect(shortfall(bad, { maxRejected: 1, maxKnown: 1 })).toBeUndefined();
  expect(
    shortfall(summary({ read: 100, accepted: 99, rejected: 1 }), { maxRejected: 0, maxKnown: 1 }),
  ).toContain("--max-rejected 0 allows");
});
