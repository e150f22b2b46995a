import { expect, test } from "vitest";
import { AS_OF, TODAY } from "../../tests/support/method/facts.ts";
import { solarDayNumber } from "../kernel/time.ts";
import { ageInDays, asOfAt, dateOfDay, endOfDay, withinDays } from "./as-of.ts";

test("a visit across midnight UTC is one solar day in Chicago", () => {
  const asOf = asOfAt(Date.parse("2026-03-11T05:59:59Z"), -87.6); // -87.6 / 15 = -5.84, so UTC-6
  expect(asOf.offsetHours).toBe(-6);
  expect(dateOfDay(asOf.day)).toBe("2026-03-10");
  expect(solarDayNumber(Date.parse("2026-03-10T23:30:00Z"), -6)).toBe(asOf.day);
  expect(solarDayNumber(Date.parse("2026-03-11T01:00:00Z"), -6)).toBe(asOf.day);
  expect(asOfAt(Date.parse("2026-03-11T06:00:00Z"), -87.6).day).toBe(asOf.day + 1);
});

test("the last N days are ages 0 to N - 1", () => {
  expect([-1, 0, 29, 30].map((age) => withinDays(TODAY - age, AS_OF, 30))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(ageInDays(TODAY - 7, AS_OF)).toBe(7);
});

test("the end of a solar day is the last millisecond before the next one", () => {
  const chicago = asOfAt(Date.parse("2026-03-11T12:00:00Z"), -87.6);
  const end = endOfDay(chicago.day - 1, chicago);
  expect(new Date(end.ms).toISOString()).toBe("2026-03-11T05:59:59.999Z");
  expect(solarDayNumber(end.ms, -6)).toBe(end.day);
});
