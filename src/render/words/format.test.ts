import { expect, test } from "vitest";
import { observationWire } from "../../resources/records/observation-wire.ts";
import { fakeCity, fakeObservation } from "../../testing/release/fake-rows.ts";
import { duration, seenText } from "./format.ts";

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

test("an observation is dated in its city, to the hour or to the day, and never more exactly", () => {
  const napier = fakeCity(1, "Napier", { lng: 176.92 });
  const seen = (observedAt: string, isMobile: boolean) => {
    const row = fakeObservation(7, 2, { observedAt: Date.parse(observedAt), isMobile });
    return seenText(observationWire(row, napier, "https://presence.test"), napier.lng);
  };
  expect(seen("2026-06-18T12:00:00Z", false)).toBe("2026-06-19, 0–1\u00a0h");
  expect(seen("2026-06-18T11:00:00Z", false)).toBe("2026-06-18, 23–24\u00a0h");
  expect(seen("2026-06-18T12:00:00Z", true)).toBe("2026-06-19");
});
