import { expect, test } from "vitest";
import { cityDay, duration, score, utcDate, utcTime } from "./format.ts";

test.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [5, "5 seconds"],
  [60, "1 minute"],
  [90, "90 seconds"],
  [1800, "30 minutes"],
  [7200, "2 hours"],
  [5400, "90 minutes"],
  [86_400, "1 day"],
  [90_000, "25 hours"],
])("%i seconds are %s", (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});

test("dates are written for people", () => {
  expect(utcDate("2026-10-29")).toBe("29 Oct 2026");
  expect(utcTime("2026-05-01T09:30:59Z")).toBe("1 May 2026, 09:30 UTC");
  expect([cityDay("2025-11-10"), cityDay(null)]).toEqual(["10 Nov 2025", "none yet"]);
});

test("a missing score is said in words", () => {
  expect([score(7.5), score(null)]).toEqual(["7.50", "none yet"]);
});
