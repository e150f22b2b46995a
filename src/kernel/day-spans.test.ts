import { expect, test } from "vitest";
import { lastSpanEnd, spanOf, weekStart } from "./day-spans.ts";
import { DAY_MS, isoDate } from "./time.ts";

const day = (date: string) => Date.parse(date) / DAY_MS;
const dates = ({ first, last }: { first: number; last: number }) => [
  isoDate(first * DAY_MS),
  isoDate(last * DAY_MS),
];

test("the span that contains a day", () => {
  expect(dates(spanOf("day", day("2026-11-23")))).toEqual(["2026-11-23", "2026-11-23"]);
  expect(dates(spanOf("week", day("2026-11-22")))).toEqual(["2026-11-16", "2026-11-22"]);
  expect(dates(spanOf("week", day("2026-11-23")))).toEqual(["2026-11-23", "2026-11-29"]);
  expect(dates(spanOf("month", day("2028-02-29")))).toEqual(["2028-02-01", "2028-02-29"]);
  expect(dates(spanOf("month", day("2026-12-31")))).toEqual(["2026-12-01", "2026-12-31"]);
  expect(isoDate(weekStart(day("1969-12-31")) * DAY_MS)).toBe("1969-12-29");
});

test("the newest span that is over", () => {
  const end = (kind: "day" | "week" | "month", date: string) =>
    isoDate(lastSpanEnd(kind, day(date)) * DAY_MS);
  expect(end("day", "2026-11-23")).toBe("2026-11-23");
  expect([end("week", "2026-11-22"), end("week", "2026-11-23")]).toEqual(["2026-11-22", "2026-11-22"]);
  expect([end("month", "2026-11-29"), end("month", "2026-11-30")]).toEqual(["2026-10-31", "2026-11-30"]);
});
