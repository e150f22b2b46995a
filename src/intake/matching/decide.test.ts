import { expect, test } from "vitest";
import { sighting, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { appendIdentity, appendOnlineCheck, appendReview, appendStatus, type Review } from "./decide.ts";

// Rows: 1 city, 2 record, 3 naming, 4 asset, 5 observation, 6 record, 7 naming, 8 asset, 9 observation.
async function twoRecords() {
  const it = testLedger();
  await it.ingest([sighting("a")]);
  await it.ingest([sighting("b", { lat: 40.02, lng: -75.02 })]);
  return it;
}

const review = (changes: Partial<Review>): Review => ({
  decision: "verify",
  target: 5,
  reason: "seen",
  reviewer: "desk",
  ...changes,
});

test("a decision becomes a row", async () => {
  using it = await twoRecords();
  expect(appendReview(it.ledger, review({}))).toBe(10);
  appendReview(it.ledger, review({ decision: "classify", target: 2, industry: "1071" }));
  expect(it.rows("review").map((row) => row.body)).toMatchObject([
    { decision: "verify", target: 5, industry: null, into: null, tags: null },
    { decision: "classify", target: 2, industry: "1071" },
  ]);
  appendStatus(it.ledger, { record: 2, status: "claimed" });
  appendIdentity(it.ledger, {
    brand: null,
    organizations: [],
    record: 2,
    same_as: [],
    scope: "local_independent",
  });
  appendOnlineCheck(it.ledger, {
    record: 2,
    checkedAt: 1,
    verdict: "none",
    signalTypes: [],
    matchCount: 0,
    provider: "test",
  });
  expect(it.rows("status")).toHaveLength(1);
  expect(it.rows("identity")).toHaveLength(1);
});

test.for([
  ["a row that is not there", { target: 99 }, "row 99 is not there"],
  ["a row of another kind", { target: 2 }, "row 2 is of kind record; expected a row of kind observation"],
  ["retiring an observation", { decision: "retire" }, "expected a row of kind asset"],
  ["an unknown industry", { decision: "classify", target: 2, industry: "1" }, "ISIC"],
  [
    "a classification without industry",
    { decision: "classify", target: 2 },
    "a classify review has an industry",
  ],
  ["an industry elsewhere", { industry: "1071" }, "and no other has"],
  ["a merge into itself", { decision: "merge", target: 2, into: 2 }, "itself"],
  ["a merge into an asset", { decision: "merge", target: 2, into: 4 }, "expected a row of kind record"],
] as const)("%s is refused", async ([, changes, message]) => {
  using it = await twoRecords();
  expect(() => appendReview(it.ledger, review(changes))).toThrow(OperatorError);
  expect(() => appendReview(it.ledger, review(changes))).toThrow(message);
  expect(it.rows("review")).toEqual([]);
});

test("a merge maps the tags of one record to those of the other, and later sightings go there", async () => {
  using it = await twoRecords();
  appendReview(it.ledger, review({ decision: "merge", target: 6, into: 2 }));
  const [kept, merged] = it.rows("observation").map((row) => String(row.body["observer_tag"]));
  // One observer saw both places: merged, that is one tag.
  expect(it.rows("review")[0]?.body["tags"]).toEqual({ [String(merged)]: kept });
  await it.ingest([sighting("c", { lat: 40.02, lng: -75.02 })]);
  expect(it.rows("observation").at(-1)?.body).toMatchObject({ record: 2, asset: 8, observer_tag: kept });
});

test("records of different cities do not merge", async () => {
  using it = await twoRecords();
  const { registerCity } = await import("../places/register-city.ts");
  const { radiusCells } = await import("../places/city-outline.ts");
  const { AVALON } = await import("../../../tests/support/ledger/intake-ledger.ts");
  registerCity(it.ledger, { ...AVALON, geonameId: 2, asciiName: "Far" }, radiusCells(50, 10, 2));
  await it.ingest([sighting("far", { lat: 50, lng: 10 })]);
  const far = it.rows("record").at(-1)?.id ?? 0;
  expect(() => appendReview(it.ledger, review({ decision: "merge", target: far, into: 2 }))).toThrow(
    "not in one city: far and avalon",
  );
});
