import { describe, expect, test } from "vitest";
import { AS_OF, TODAY } from "../../tests/support/method/facts.ts";
import { solarDayNumber } from "../kernel/time.ts";
import {
  ageInDays,
  asOfAt,
  dateOfDay,
  endOfDay,
  mean,
  median,
  publishedNumber,
  round9,
  share,
  withinDays,
} from "./numbers.ts";

describe("numbers", () => {
  test("rounding and shares", () => {
    expect(round9(1 / 3)).toBe(0.333333333);
    expect(round9(0.1 + 0.2)).toBe(0.3);
    expect(publishedNumber(84.6797)).toBe(84.68);
    expect(share(1, 3)).toBe(0.3333);
    expect(share(0, 0)).toBe(0);
  });

  test("middle values", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeUndefined();
    expect(mean([1, 2, 6])).toBe(3);
    expect(mean([])).toBeUndefined();
  });
});

describe("as of", () => {
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
});
