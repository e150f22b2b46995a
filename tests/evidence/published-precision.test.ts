/** What the public files of a whole release tell of time and place: days, and for mobile assets the size of a city. */

import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { getResolution, isValidCell } from "h3-js";
import { describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { cityDayStart, isoTime } from "../../src/kernel/time.ts";

const site = releasePaths(realpathSync(homePaths(inject("demoHome")).current)).site;
const TEXTS = /\.(json|ndjson|html|xml|csv|geojson|txt|svg|js|webmanifest)$/;
const texts = filesBelow(site).filter((file) => TEXTS.test(file));
const read = (file: string) => readFileSync(file, "utf8");
const json = (path: string): unknown => JSON.parse(read(join(site, path)));
const below = (folder: string) => texts.filter((file) => relative(site, file).startsWith(folder));

const City = z.object({ slug: z.string(), name: z.string() });
const CityBody = z.object({ city: z.string(), details: z.object({ lng: z.number() }).nullable() });
const SealBody = z.object({ created_at: z.string() });
const ObservationBody = z.object({
  asset: z.int(),
  city: z.string(),
  h3_cell: z.string(),
  observed_at: z.string(),
  presence_kind: z.string(),
  record: z.int(),
});
const Listed = z.object({
  public_id: z.string(),
  observations: z.array(
    z.object({
      id: z.int(),
      asset_public_id: z.string(),
      city: z.string(),
      h3_cell: z.string(),
      observed_at: z.string(),
      observed_on: z.string(),
      presence_kind: z.string(),
      time_precision: z.object({ observed_at: z.string() }),
    }),
  ),
});

const Disclosure = z.object({ d: z.string() });
const bodies = below("ledger/disclosures/")
  .flatMap((file) => read(file).trimEnd().split("\n"))
  .map((line) => JSON.parse(Buffer.from(Disclosure.parse(JSON.parse(line)).d, "base64url").toString()))
  .filter(([, name]) => name === "body")
  .map(([, , body]) => body);
const disclosed = bodies.flatMap((body) => ObservationBody.safeParse(body).data ?? []);
const lngs = new Map(
  bodies.flatMap((body) => {
    const city = CityBody.safeParse(body).data;
    return city?.details ? [[city.city, city.details.lng] as const] : [];
  }),
);
const slugs = new Map(
  z
    .array(City)
    .parse(json("api/v1/cities.json"))
    .map(({ slug, name }) => [name, slug]),
);
const lists = below("api/v1/observations/").map((file) => Listed.parse(JSON.parse(read(file))));

function lngOf(slug: string | undefined): number {
  const lng = slug === undefined ? undefined : lngs.get(slug);
  if (lng === undefined) throw new Error(`the ledger registers no city ${slug}`);
  return lng;
}

function isDayStart(time: string, lng: number): boolean {
  return isoTime(cityDayStart(Date.parse(time), lng)) === time;
}

describe("time", () => {
  test("every disclosed and every listed observation has the start of its city's solar day", () => {
    expect(disclosed.length).toBeGreaterThan(10_000);
    expect(disclosed.filter(({ city, observed_at }) => !isDayStart(observed_at, lngOf(city)))).toEqual([]);
    const listed = lists.flatMap(({ observations }) => observations);
    expect(listed.length).toBeGreaterThan(1000);
    for (const { id, city, observed_at, observed_on, time_precision } of listed) {
      expect(isDayStart(observed_at, lngOf(slugs.get(city))), `row ${id}`).toBe(true);
      const middle = Date.parse(observed_at) + 43_200_000;
      expect(Math.abs(middle - Date.parse(`${observed_on}T12:00:00Z`)), `row ${id}`).toBeLessThan(50_400_000);
      expect(time_precision.observed_at).toBe("day");
    }
  });

  test("no file has a whole hour that begins no day of a city, on a day on which something was observed", () => {
    const days = new Set(disclosed.map(({ observed_at }) => observed_at.slice(0, 10)));
    const service = serviceTimes();
    const isStart = (time: string) =>
      [...lngs.values()].some((lng) => isDayStart(isoTime(Date.parse(time)), lng));
    const found = texts
      .filter(isOfTheRelease)
      .flatMap((file) =>
        [...read(file).matchAll(/(\d{4}-\d\d-\d\d)T\d\d:00(?::00(?:\.0+)?)?Z/g)]
          .filter(([time, day = ""]) => days.has(day) && !isStart(time) && !service.has(time))
          .map(([time]) => `${relative(site, file)}: ${time}`),
      );
    expect(found.slice(0, 20)).toEqual([]);
  });
});

/** Documents of the API quote an invented city, whose days begin at other hours. */
function isOfTheRelease(file: string): boolean {
  return !/Exampleville|exampleville/.test(read(file));
}

/** Times at which the service itself did something: seals, and starts of UTC days. */
function serviceTimes(): Set<string> {
  const seals = bodies.flatMap((body) => SealBody.safeParse(body).data?.created_at ?? []);
  const days = texts.flatMap((file) => read(file).match(/\d{4}-\d\d-\d\dT00:00:00(?:\.000)?Z/g) ?? []);
  return new Set([...seals, ...days]);
}

describe("place", () => {
  const mobile = disclosed.filter(({ presence_kind }) => presence_kind === "mobile_presence");

  test("no vehicle has a cell finer than a city on any day, in the ledger or in a list", () => {
    const listed = lists
      .flatMap(({ observations }) => observations)
      .filter(({ presence_kind }) => presence_kind === "mobile_presence");
    expect([mobile.length > 500, listed.length > 100]).toEqual([true, true]);
    expect(new Set([...mobile, ...listed].map(({ h3_cell }) => getResolution(h3_cell)))).toEqual(
      new Set([5]),
    );
  });

  test("the days on which a vehicle has more than one cell tell of the borders between cities' cells only", () => {
    const cells = Map.groupBy(mobile, ({ asset, observed_at }) => `${asset} ${observed_at}`);
    const several = [...cells.values()].filter(
      (seen) => new Set(seen.map(({ h3_cell }) => h3_cell)).size > 1,
    );
    expect(several.length / cells.size).toBeLessThan(0.02);
    for (const seen of several)
      expect(new Set(seen.map(({ h3_cell }) => getResolution(h3_cell)))).toEqual(new Set([5]));
  });

  test("the files of a record whose every asset is mobile have no cell within the city", () => {
    const onlyMobile = lists
      .map(({ public_id }) => Shown.parse(json(`api/v1/entity/${public_id}.json`)))
      .filter(({ assets }) => assets.every(({ is_mobile }) => is_mobile));
    expect(onlyMobile.length).toBeGreaterThan(0);
    for (const { entity, stats } of onlyMobile) {
      const { public_id } = entity;
      expect([entity.place_precision, stats.unique_cells]).toEqual(["city", 0]);
      const own = texts.filter((file) => relative(site, file).includes(public_id));
      expect(own.length).toBeGreaterThan(4);
      for (const file of own) expect(fineCells(read(file)), file).toEqual([]);
    }
  });
});

const Shown = z.object({
  entity: z.object({ public_id: z.string(), place_precision: z.string() }),
  stats: z.object({ unique_cells: z.int() }),
  assets: z.array(z.object({ is_mobile: z.boolean() })),
});

function fineCells(text: string): string[] {
  const cells = text.match(/\b8[0-9a-f]{14}\b/g) ?? [];
  return cells.filter((cell) => isValidCell(cell) && getResolution(cell) > 5);
}
