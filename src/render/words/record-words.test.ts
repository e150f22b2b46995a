import { describe, expect, test } from "vitest";
import { day, fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { entitySummary } from "../../resources/records/entity.ts";
import type { RecordRow } from "../../snapshot/rows.ts";
import { recordState, recordStates, seenText, unrankedText } from "./record-words.ts";

const record = (changes: Partial<RecordRow> = {}, rank: number | null = 1) =>
  entitySummary(fakeRecord(1, changes, rank), fakeCity(1, "Alpha"), "https://presence.test");
const observers = (independent_observer_count: number, of = record({}, null)) => ({
  ...of,
  independent_observer_count,
});
const underReview = (of = record({}, null)) => ({
  ...of,
  ranking_state: "integrity_review" as const,
  ranking_gate: { ...of.ranking_gate, status: "integrity_review" as const },
});

describe("the first sentence", () => {
  test.each([
    [record(), "Seen 3 times from 21 Mar 2026 to 27 Jun 2026; 5 independent observers in the last 365 days."],
    [
      record({ setAsideCount: 1 }),
      "Seen 3 times, 2 of them independently from 21 Mar 2026 to 27 Jun 2026; 5 independent observers in the last 365 days.",
    ],
    [
      observers(0, record({ setAsideCount: 3 })),
      "Seen 3 times from 21 Mar 2026 to 27 Jun 2026, never independently; no independent observer in the last 365 days.",
    ],
    [
      observers(1, record({ observationCount: 1, firstObserved: day(2) })),
      "Seen once on 27 Jun 2026; 1 independent observer in the last 365 days.",
    ],
    [record({ observationCount: 0 }), "No accepted sighting is published."],
  ])("%#", (seen, sentence) => {
    expect(seenText(seen)).toBe(sentence);
  });
});

describe("the state", () => {
  test.each([
    ["Several observers", record()],
    ["Gathering evidence", record({}, null)],
    ["One observer", observers(1)],
    ["Not seen lately", observers(0)],
    ["Seen once", observers(1, record({ observationCount: 1 }, null))],
    ["Nothing counts yet", record({ setAsideCount: 3 }, null)],
    ["Rejected", record({ observationCount: 0 }, null)],
    ["Dissolved", record({ recordStatus: "dissolved" }, null)],
    ["Merged", record({ recordStatus: "merged" }, null)],
    ["Under review", underReview()],
  ])("%s", (label, of) => {
    expect(recordState(of).label).toBe(label);
  });

  test("a review and later visits stand beside what was seen", () => {
    const labels = (of: Parameters<typeof recordStates>[0], months: number) =>
      recordStates(of, months).map(({ label }) => label);
    expect(labels(underReview(observers(1)), 2)).toEqual([
      "Under review",
      "One observer",
      "Not seen on later visits",
    ]);
    expect(labels(underReview(), 0)).toEqual(["Under review"]);
  });
});

describe("without a rank", () => {
  test("a record says what it needs", () => {
    const { ranking_gate: gate, ...rest } = record({}, null);
    const short = { current: 1, required: 3, met: false };
    const text = unrankedText({ ...rest, ranking_gate: { ...gate, independent_observers: short } });
    expect(text).toBe("Not ranked yet: needs 2 more observers and a reviewed industry");
    expect(unrankedText(record())).toBeUndefined();
    expect(unrankedText(underReview())).toBe("Not ranked while under review");
  });
});
