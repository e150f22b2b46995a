import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DAY_MS, isoDate } from "../../src/kernel/time.ts";
import { presenceHere } from "../support/operations/presence-here.ts";
import { BENCH_CITY_RADIUS_KM, benchCities, benchObserverIds } from "../support/towns/observations.ts";
import { SHARED_CACHES } from "../support/towns/shared-caches.ts";
import { registerSourcesOf } from "../support/towns/sources.ts";
import { DAYS, gazetteerDump, ndjson, townObservations } from "../support/towns/town.ts";
import { isTrial } from "../support/trial.ts";
import { Machine } from "../trial/week/machine.ts";
import { waitingPairs } from "../trial/week/pairs.ts";
import { runWeek, DAYS as WEEK_DAYS } from "../trial/week/run.ts";
import type { Batch, World } from "../trial/week/world.ts";

/** The week of `npm run trial -- week`, in a town of a few hundred sightings. */

const folder = mkdtempSync(join(tmpdir(), "presence-week-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEED = 31;
const LATE = 140; // sightings of the week itself
/** A build takes seconds, so not each day is published: what is merged on the third day and turned round on the fourth is, both times. */
const NIGHTS = isTrial ? [1, 3, WEEK_DAYS] : [1, WEEK_DAYS];

const town = [...townObservations({ seed: SEED, observations: 640, records: 70 })];
const late = town.splice(-LATE);
const [city] = benchCities(1);
const pairs = waitingPairs({ lat: city?.lat ?? 0, lng: city?.lng ?? 0 }, isoDate(DAYS.end - DAY_MS));

function file(name: string, lines: Iterable<unknown>): Batch {
  const path = join(folder, name);
  writeFileSync(path, ndjson(lines));
  return { file: path };
}

/** What one day brings: new sightings, one that is known, one whose name says nothing, one that is broken. */
function dayFile(day: number): Batch {
  const share = late.filter((_, at) => at % WEEK_DAYS === day);
  const [first] = share;
  const again = town[day];
  return file(`day-${day}.ndjson`, [
    ...share,
    again,
    { ...first, source_ref: `held-${day}`, name: "Restaurant", lat: (first?.lat ?? 0) + day / 1000 },
    { ...first, source_ref: `broken-${day}`, lat: "north" },
  ]);
}

function tinyWorld(): World {
  const gazetteer = join(folder, "cities.txt");
  writeFileSync(gazetteer, gazetteerDump());
  const held = town
    .slice(0, 2)
    .map((sighting, at) => ({ ...sighting, source_ref: `generic-${at}`, name: "Restaurant" }));
  return {
    gazetteer,
    cities: [["--geoname", String(city?.geonameId), "--radius-km", String(BENCH_CITY_RADIUS_KM)]],
    register: (home, at) => registerSourcesOf({ home }, benchObserverIds(1), at),
    firstDay: isoDate(DAYS.end + DAY_MS),
    before: [file("before.ndjson", [...town, ...pairs, ...held])],
    days: Array.from({ length: WEEK_DAYS }, (_, day) => [dayFile(day)]),
    nights: NIGHTS,
  };
}

test("a week of an operator leaves nothing that does not add up", { timeout: 1_800_000 }, async () => {
  const env = { BASE_URL: "https://week.example", PORT: "0", SOURCE_REVISION: "test", ...SHARED_CACHES };
  const machine = new Machine(join(folder, "machine"), env, presenceHere);
  const { before, nights, publicIds } = await runWeek(machine, tinyWorld(), {
    seed: SEED,
    say: () => undefined,
  });
  expect(nights.flatMap(({ day, faults }) => faults.map((fault) => `day ${day}: ${fault}`))).toEqual([]);
  expect(before).toMatchObject({ accepted: town.length + pairs.length + 2, rejected: 0 });
  expect(nights.map(({ day }) => day)).toEqual(NIGHTS);
  for (const { taken, decisions } of nights) {
    expect(Math.min(taken.accepted, taken.known, taken.rejected)).toBeGreaterThan(0);
    expect(decisions).toBeGreaterThan(5);
  }
  // A killed night, or a reviewer's command of the next day, may have taken the lines in before.
  expect(nights.some(({ held }) => held > 0)).toBe(true);
  expect(nights.map(({ changes }) => changes.merged > 0)).toEqual(NIGHTS.map((day) => day > 1));
  // The change file of the patch release counts what was erased; the night follows it.
  expect(nights.map(({ changes }) => changes.removed)).toEqual(NIGHTS.map(() => 0));
  expect(publicIds).toBeGreaterThan(100);
});
