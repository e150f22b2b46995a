import { expect, test } from "vitest";
import { fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import { entity, presenceScore } from "./entity.ts";

const identity = {
  brand: { public_id: "br_1", name: "Brand", canonical_domain: "brand.example" },
  organizations: [],
  record: 101,
  same_as: ["https://brand.example/alpha"],
  scope: "local_independent",
};

test("scores have two decimals, the parts of the raw score have all", () => {
  const context = fakeContext();
  const { presence_score, entity: summary } = entity.read(context, { public_id: "demo_1" }, {});
  expect(presence_score).toMatchObject({
    pps: 71.99,
    pps_without_any_one_observer: 58.12,
    gate_holds_without_any_one_observer: true,
    provisional_pps: 61.23,
    cohort_percentile: 66.67,
    pbi_rank: 1,
  });
  expect(summary).toMatchObject({
    pps: 71.99,
    city: "Alpha",
    record_url: "https://presence.test/record/demo_1/",
  });
  const score = presenceScore.read(context, { public_id: "demo_1" }, {});
  expect(score.components).toMatchObject({ raw_score: 61.234567891 });
  expect(score.components?.parts.map(({ key }) => key)).toEqual([
    "recency",
    "volume",
    "breadth",
    "assets",
    "independence",
  ]);
  expect(score.cohort).toMatchObject({ city: "alpha", size: 5, median_raw: 50, spread: 8.25 });
  expect(score.history).toEqual([{ date: "2026-06-28", pps: 70.12, observation_count_30d: 4 }]);
});

test("an unranked record has nulls, not zeros, and says what is missing", () => {
  const context = fakeContext({ records: [fakeRecord(1, {}, null)] });
  const { presence_score } = entity.read(context, { public_id: "demo_1" }, {});
  expect(presence_score).toMatchObject({
    pps: null,
    pps_without_any_one_observer: null,
    gate_holds_without_any_one_observer: false,
    cohort_percentile: null,
    pbi_rank: null,
    pbi_cohort_size: null,
  });
  expect(presence_score.ranking_gate).toMatchObject({
    status: "evidence_building",
    industry_classification: { state: "review", method: "name_rule", authoritative_for_ranking: false },
    missing_requirements: ["industry_classification_review"],
  });
});

test("only reviewed relationships are shown", () => {
  const records = [fakeRecord(1, { identity }), fakeRecord(2)];
  const context = fakeContext({ records });
  const reviewed = entity.read(context, { public_id: "demo_1" }, {}).entity;
  expect(reviewed.same_as).toEqual(identity.same_as);
  expect(reviewed.identity_hierarchy).toMatchObject({ review_state: "reviewed", brand: identity.brand });
  const unreviewed = entity.read(context, { public_id: "demo_2" }, {}).entity;
  expect(unreviewed.identity_hierarchy).toMatchObject({
    review_state: "unreviewed",
    brand: null,
    organizations: [],
  });
});

test("a merged record is a 404 that names the one that stays", () => {
  const context = fakeContext({ records: [fakeRecord(1), fakeRecord(2, { mergedInto: "demo_1" })] });
  for (const resource of [entity, presenceScore])
    expect(() => resource.read(context, { public_id: "demo_2" }, {})).toThrow(
      new PublicError(404, "this record was merged into another one: see merged_into", {
        code: "record_merged",
        merged_into: "demo_1",
      }),
    );
});

test("a record whose city is not published is not there", () => {
  const context = fakeContext({ cities: [fakeCity(2, "Beta")] });
  expect(() => entity.read(context, { public_id: "demo_1" }, {})).toThrow(
    expect.objectContaining({ status: 404 }),
  );
});

test("a record without a cell of its own shows its city", () => {
  const precisionOf = (cellCount: number) =>
    entity.read(fakeContext({ records: [fakeRecord(1, { cellCount })] }), { public_id: "demo_1" }, {}).entity
      .place_precision;
  expect([precisionOf(2), precisionOf(0)]).toEqual(["cell", "city"]);
});
