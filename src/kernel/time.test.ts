import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { cityDate, cityDayStart, DAY_MS, isoDate, isoTime, lastSpanEnd, spanOf, weekStart } from "./time.ts";

describe("time", () => {
  test("the day of an instant, and its first instant, are those of the city's solar time", () => {
    const at = Date.parse("2026-06-18T12:00:00Z");
    const [napier, guelph, greenwich] = [176.92, -80.25, 0];
    const startOf = (lng: number) => isoTime(cityDayStart(at, lng));
    expect([cityDate(at, napier), startOf(napier)]).toEqual(["2026-06-19", "2026-06-18T12:00:00Z"]);
    expect([cityDate(at, guelph), startOf(guelph)]).toEqual(["2026-06-18", "2026-06-18T05:00:00Z"]);
    expect([cityDate(at, greenwich), startOf(greenwich)]).toEqual(["2026-06-18", "2026-06-18T00:00:00Z"]);
    expect(cityDate(Date.parse("2026-06-18T04:59:59Z"), guelph)).toBe("2026-06-17");
  });

  /** A UTC date made of when something was observed, in one line. */
  const UTC_DAY_OF_OBSERVATION =
    /\b(isoDate|utcDate|utcTime|utcMinute)\([^)]*(observed|cited)|(observed_at|first_observed|last_observed)\??\.slice\(/i;

  test("no text dates an observation in UTC", () => {
    const src = dirname(import.meta.dirname);
    const sources = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.(ts|astro)$/.test(path) && !path.endsWith(".test.ts"),
    );
    const found = sources.flatMap((path) =>
      readFileSync(join(src, path), "utf8")
        .split("\n")
        .filter((line) => UTC_DAY_OF_OBSERVATION.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});

describe("day spans", () => {
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
});
