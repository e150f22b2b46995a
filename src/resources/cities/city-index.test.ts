import { expect, test } from "vitest";
import { day, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { CitySort, ClaimState, RankingState } from "../../contract/enums.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ReadContext } from "../define.ts";
import { cityIndex } from "./city-index.ts";

const alpha = { city: "alpha" };
const records = Array.from({ length: 7 }, (_, at) =>
  fakeRecord(at + 1, at < 2 ? { industry: "4711" } : {}, at < 5 ? at + 1 : null),
);

test("filters keep the ranks, on later pages too", () => {
  const context = fakeContext({ records });
  const first = cityIndex.read(context, alpha, { industry: "I", limit: "2" });
  expect(first).toMatchObject({ total_count: 5, industry: "I" });
  expect(first.rankings.map(({ rank }) => rank)).toEqual([3, 4]);
  const cursor = first.next_cursor ?? "";
  expect(cityIndex.read(context, alpha, { industry: "I", cursor }).rankings.map(({ rank }) => rank)).toEqual([
    5,
    null,
    null,
  ]);
});

test("in each order all pages give every record once, and a cursor keeps its order", () => {
  const shuffled = records.map((record, at) => ({
    ...record,
    name: `Name ${(at * 3) % 7}`,
    observationCount: (at * 5) % 7,
    lastObserved: day((at * 2) % 7),
  }));
  const context = fakeContext({ records: shuffled });
  const firstIds = CitySort.options.map((sort) => {
    const { rankings, next_cursor } = cityIndex.read(context, alpha, { sort, limit: "4" });
    const cursor = next_cursor ?? "";
    const rest = cityIndex.read(context, alpha, { sort, cursor });
    expect(rest.next_cursor).toBeNull();
    expect([...rankings, ...rest.rankings].map(({ public_id }) => public_id).sort()).toEqual(
      shuffled.map(({ publicId }) => publicId),
    );
    for (const other of CitySort.options.filter((each) => each !== sort))
      expect(() => cityIndex.read(context, alpha, { sort: other, cursor })).toThrow(/another sort/);
    return rankings[0]?.public_id;
  });
  expect(firstIds).toEqual(["demo_1", "demo_1", "demo_5", "demo_1"]);
  const byName = cityIndex.read(context, alpha, { sort: "name" }).rankings;
  expect(byName.map(({ name }) => name)).toEqual(byName.map(({ name }) => name).sort());
  expect(byName.map(({ rank }) => rank)).not.toEqual(rankedOf(context));
  expect(cityIndex.read(context, alpha, { sort: "rank" })).toEqual(cityIndex.read(context, alpha, {}));
});

const rankedOf = (context: ReadContext) =>
  cityIndex.read(context, alpha, {}).rankings.map(({ rank }) => rank);

test("filters by ranking state and claim are echoed, and the summary counts what they leave", () => {
  const claimed = fakeRecord(8, { status: "verified" }, 6);
  const context = fakeContext({ records: [...records, claimed] });
  const read = (query: Record<string, string>) => cityIndex.read(context, alpha, query);
  expect(read({})).toMatchObject({
    ranking_state: null,
    claim_status: null,
    total_count: 8,
    ranking_summary: { eligible: 6, evidence_building: 2, integrity_review: 0 },
  });
  const ranked = read({ ranking_state: "ranked", claim_status: "unclaimed", limit: "2" });
  expect(ranked).toMatchObject({
    ranking_state: "ranked",
    claim_status: "unclaimed",
    total_count: 5,
    ranking_summary: { eligible: 5, evidence_building: 0, integrity_review: 0 },
  });
  expect(ranked.rankings.map(({ rank }) => rank)).toEqual([1, 2]);
  expect(read({ claim_status: "claimed" }).rankings.map(({ public_id }) => public_id)).toEqual(["demo_8"]);
  expect(read({ industry: "4711" }).ranking_summary).toEqual({
    eligible: 2,
    evidence_building: 0,
    integrity_review: 0,
  });
  expect(read({ ranking_state: "integrity_review" })).toMatchObject({
    total_count: 0,
    ranking_summary: { eligible: 0, evidence_building: 0, integrity_review: 0 },
  });
});

test.each([
  ["ranking_state", "eligible", RankingState],
  ["claim_status", "verified", ClaimState],
])("a wrong %s is a 400 with the list", (name, value, { options }) => {
  const list = options.join(", ");
  expect(() => cityIndex.read(fakeContext(), alpha, { [name]: value })).toThrow(
    new PublicError(400, `${name} must be one of ${list} (got "${value}")`),
  );
});

test("a slug is found in any case, and the answer has it as it is published", () => {
  const context = fakeContext({ records });
  const upper = cityIndex.read(context, { city: "ALPHA" }, { limit: "2" });
  expect(upper).toEqual(cityIndex.read(context, alpha, { limit: "2" }));
  expect(upper.city.slug).toBe("alpha");
  const cursor = upper.next_cursor ?? "";
  expect(cityIndex.read(context, { city: "Alpha" }, { cursor }).returned_count).toBe(5);
});
