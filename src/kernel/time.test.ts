import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { cityDate, cityHour } from "./time.ts";

test("the day and the hour of an instant are those of the city's solar time", () => {
  const at = Date.parse("2026-06-18T12:00:00Z");
  const [napier, guelph, greenwich] = [176.92, -80.25, 0];
  expect([cityDate(at, napier), cityHour(at, napier)]).toEqual(["2026-06-19", 0]);
  expect([cityDate(at, guelph), cityHour(at, guelph)]).toEqual(["2026-06-18", 7]);
  expect([cityDate(at, greenwich), cityHour(at, greenwich)]).toEqual(["2026-06-18", 12]);
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
