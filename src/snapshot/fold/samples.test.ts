import { expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { contextOf } from "../../resources/release-store.ts";
import { methodologyMetrics } from "../../resources/service/methodology.ts";

const AS_OF = "2026-05-02T13:00:00Z";

test("samples are drawn from what is listed and recent, and judged by the last review of each", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  const asset = town.asset(record);
  const seen = Array.from({ length: 6 }, (_, n) =>
    town.see(
      record,
      asset,
      `o${n}`,
      "2026-04-28T10:00:00Z",
      n < 4 ? { recognition_model_version: "m1" } : {},
    ),
  );
  const [right = 0, misread = 0, wrongRecord = 0, gone = 0, unread = 0, twice = 0] = seen;
  town.review("verify", right, { reason: "picture_clear" });
  town.review("reject", misread, { reason: "picture_unclear" });
  town.review("reject", wrongRecord, { reason: "wrong_subject" });
  town.review("verify", unread, { reason: "reported_problem" });
  town.review("reject", twice, { reason: "wrong_subject" });
  town.review("verify", twice, { reason: "operator_error" });
  town.redact([gone]);
  const { reading, matching, reported } = town.snapshot(AS_OF).samples();
  expect(reading).toMatchObject({
    rows: [right, misread, wrongRecord],
    reviewed: 2,
    correct: 1,
    undecided: 1,
    precision: null, // not yet known from so few
  });
  expect(matching).toMatchObject({
    rows: [right, misread, wrongRecord, unread, twice],
    reviewed: 4,
    correct: 3,
    undecided: 1,
    precision: null,
  });
  expect(reported).toHaveLength(1);
});

test("what was published before the window is in no sample", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  const later = town.snapshot("2026-09-30T12:00:00Z");
  expect(later.samples()).toMatchObject({ reading: { rows: [] }, matching: { rows: [] }, reported: [] });
});

test("the report counts the states, leaves out what was not measured, and names every city", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  const asset = town.asset(record);
  const [first = 0] = ["a", "b", "c"].map((observer) =>
    town.see(record, asset, observer, "2026-04-28T10:00:00Z"),
  );
  town.see(record, town.asset(record), "d", "2026-04-28T10:00:00Z");
  town.review("verify", first);
  const snapshot = town.snapshot(AS_OF);
  const report = methodologyMetrics.read(contextOf(snapshot), {}, {});
  expect(report.summary).toEqual({ verified_observations: 3, strictly_verified_observations: 1 });
  expect(report.ocr_sample).toMatchObject({ sample_size: 0, precision: null, confidence_interval: null });
  expect(report.entity_match_sample).toMatchObject({
    sample_size: 4,
    reviewed: 1,
    correct: 1,
    precision: null,
    confidence_interval: null,
    not_yet_known: "Not yet known: a precision needs at least 30 reviewed observations (currently 1).",
  });
  expect(report.headline_metrics.map(({ key, value }) => [key, value])).toEqual([
    ["verified_observations", 3],
    ["strictly_verified_observations", 1],
    ["ocr_precision", null],
    ["entity_match_precision", null],
  ]);
  expect(report.coverage_by_city).toMatchObject([{ slug: "toronto", records: 1, observations: 4 }]);
  expect(report.reporting_window).toEqual({
    from: "2026-02-01T13:00:00Z",
    to: "2026-05-02T13:00:00Z",
    days: 90,
  });
});
