import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { cityDate, cityDayStart, isoTime } from "./time.ts";

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
