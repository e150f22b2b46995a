import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestPatient } from "../../tests/support/operations/patient.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../kernel/time.ts";
import { forecast, noteSizes, readSizes } from "./disk-sizes.ts";
import { diskForecast } from "./doctor/machine.ts";

const START = Date.parse("2026-05-01T00:30:00Z");
const MIB = 1 << 20;
const night = (day: number, free: number) => ({
  at: isoTime(START + day * DAY_MS),
  free_bytes: free,
  ledger_bytes: 0,
  state_bytes: 0,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sizes-"));
  mkdirSync(homePaths(folder).night);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the nights of two months are kept, one entry a day", () => {
  const home = homePaths(folder);
  writeFileSync(home.ledger, "12345");
  writeFileSync(`${home.ledger}-wal`, "678");
  for (let day = 0; day < 70; day += 1) noteSizes(home, START + day * DAY_MS);
  noteSizes(home, START + 69 * DAY_MS + HOUR_MS);
  const sizes = readSizes(home);
  expect(sizes).toHaveLength(60);
  expect(sizes.at(-1)).toMatchObject({ at: "2026-07-09T01:30:00Z", ledger_bytes: 8, state_bytes: 0 });
  expect(sizes.at(-1)?.free_bytes).toBeGreaterThan(0);
});

test.each(["", "{", "[{}]", "null"])("a file that holds %j counts as none", (text) => {
  const home = homePaths(folder);
  writeFileSync(home.sizes, text);
  expect(readSizes(home)).toEqual([]);
  noteSizes(home, START);
  expect(JSON.parse(readFileSync(home.sizes, "utf8"))).toHaveLength(1);
});

test("the forecast follows the trend, whatever one night did", () => {
  const falling = Array.from({ length: 10 }, (_, day) => night(day, (1000 - 10 * day) * MIB));
  expect(forecast(falling, 900 * MIB)).toEqual({ bytesADay: 10 * MIB, days: 90 });
  expect(forecast([...falling.slice(0, 9), night(9, 100 * MIB)], 900 * MIB)?.days).toBe(90);
  expect(forecast(falling.slice(0, 6), 900 * MIB)).toBeUndefined();
  expect(
    forecast(
      falling.map((each) => ({ ...each, free_bytes: MIB })),
      MIB,
    ),
  ).toBeUndefined();
});

test("the doctor warns a month before the disk is full", async () => {
  using service = new TestPatient();
  const nights = Array.from({ length: 8 }, (_, day) => night(day, (10_000 - 100 * day) * MIB));
  writeFileSync(service.home.sizes, JSON.stringify(nights));
  service.freeBytes = 3000 * MIB;
  expect(await service.problems(diskForecast)).toEqual([]);
  service.freeBytes = 2900 * MIB;
  expect(await service.problems(diskForecast)).toEqual([
    "HOME/night: the disk will be full in 29 days, by the last nights: 100 MiB a day",
  ]);
});
