import { expect, test } from "vitest";
import { demandText } from "./demand-text.ts";

const DEMAND = {
  window_days: 30,
  window_end: "2026-05-01T00:00:00Z",
  searches: 412,
  searches_without_result: 37,
  alert_subscriptions: 1,
  daily_clients: 164,
  note: "",
};

test("demand in words has every figure, and says why there is none", () => {
  expect(demandText(DEMAND)).toBe(
    "In the 30 days before this release: 412 searches by 164 daily clients, of which 37 found no record; 1 new subscription.",
  );
  expect(demandText({ ...DEMAND, window_days: 1 })).toMatch(/^In the day before this release: /);
  expect(demandText(null)).toBe(
    "No figures: fewer than 10 daily clients searched in this city in the last 30 days, or searches were not counted.",
  );
});
