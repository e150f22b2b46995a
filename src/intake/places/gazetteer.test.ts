import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { GazetteerCity } from "../../contract/cities/city.ts";
import {
  asciiName,
  loadDefaultGazetteer,
  loadGazetteer,
  readGazetteerFile,
  writeGazetteerFile,
} from "./gazetteer.ts";

const REFERENCE = new URL("../../../../shared/reference/cities15000-2026-05.csv.gz", import.meta.url);

const city = (geonameId: number): GazetteerCity => ({
  geonameId,
  name: `Exampleville\n${geonameId}`,
  asciiName: "Exampleville",
  region: "",
  regionCode: "",
  countryCode: "CA",
  countryName: "Canada",
  population: 0,
  lat: -90,
  lng: 180,
});

describe("the catalogue of the packages", () => {
  const cities = loadDefaultGazetteer();
  const byId = new Map(cities.map((one) => [one.geonameId, one]));

  it("is valid, with unique ids", () => {
    expect(byId.size).toBe(cities.length);
    expect(cities.length).toBeGreaterThan(100_000);
    expect(cities.filter((one) => !GazetteerCity.safeParse(one).success)).toEqual([]);
  });

  it.each([
    [6167865, "Toronto", "Ontario", "08", "CA", "Canada", 43.7, -79.42],
    [4887398, "Chicago", "Illinois", "IL", "US", "United States", 41.85, -87.65],
    [5391959, "San Francisco", "California", "CA", "US", "United States", 37.77, -122.42],
  ])("has %i %s", (id, name, region, regionCode, countryCode, countryName, lat, lng) => {
    const found = byId.get(id);
    expect(found).toMatchObject({ name, asciiName: name, region, regionCode, countryCode, countryName });
    expect(found?.lat).toBeCloseTo(lat, 1);
    expect(found?.lng).toBeCloseTo(lng, 1);
    expect(found?.population).toBeGreaterThan(500_000);
  });

  it.skipIf(!existsSync(REFERENCE))(
    "agrees with a newer dump of GeoNames (skipped when it is absent)",
    () => {
      const Row = z.object({
        geonameId: z.coerce.number(),
        countryName: z.string(),
        lat: z.coerce.number(),
        lon: z.coerce.number(),
      });
      const rows = z.array(Row).parse(parse(gunzipSync(readFileSync(REFERENCE)), { columns: true }));
      const known = rows.flatMap((row) => {
        const ours = byId.get(row.geonameId);
        return ours === undefined ? [] : [{ row, ours }];
      });
      expect(known.length / rows.length).toBeGreaterThan(0.75);
      expect(known.filter(({ row, ours }) => row.countryName !== ours.countryName)).toEqual([]);
      const moved = known.filter(({ row, ours }) => Math.hypot(row.lat - ours.lat, row.lon - ours.lng) > 0.1);
      expect(moved.length / known.length).toBeLessThan(0.005);
    },
  );
});

describe("asciiName", () => {
  it.each([
    ["Montréal", "Montreal"],
    ["Łódź", "Lodz"],
    ["Bo‘ka", "Bo'ka"],
    ["Þorlákshöfn", "Thorlakshofn"],
  ])("%s becomes %s", (name, ascii) => {
    expect(asciiName(name)).toBe(ascii);
  });
});

describe("the catalogue file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gazetteer-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("reads back what was written, across chunks", async () => {
    const path = join(folder, "gazetteer.ndjson");
    const cities = Array.from({ length: 2001 }, (_, index) => city(index + 1));
    expect(await writeGazetteerFile(path, cities)).toBe(2001);
    expect(readGazetteerFile(path)).toEqual(cities);
    expect(loadGazetteer(path)).toEqual(cities);
    expect(readdirSync(folder)).toEqual(["gazetteer.ndjson"]);
  });

  it("keeps the old file when the source fails or has no city", async () => {
    const path = join(folder, "gazetteer.ndjson");
    await writeGazetteerFile(path, [city(1)]);
    const failing = function* () {
      yield city(2);
      throw new Error("disk gone");
    };
    await expect(writeGazetteerFile(path, failing())).rejects.toThrow("disk gone");
    await expect(writeGazetteerFile(path, [])).rejects.toThrow(/^no city to write to /);
    expect(readGazetteerFile(path)).toEqual([city(1)]);
    expect(readdirSync(folder)).toEqual(["gazetteer.ndjson"]);
  });

  it("names the line that is not a city", () => {
    const path = join(folder, "gazetteer.ndjson");
    for (const bad of ["{", "null", JSON.stringify({ ...city(2), lat: 91 })]) {
      writeFileSync(path, `${JSON.stringify(city(1))}\n${bad}\n`);
      expect(() => readGazetteerFile(path)).toThrow(`${path}, line 2: not a city.`);
    }
  });

  it("falls back on the packages where nothing was imported", () => {
    expect(loadGazetteer(join(folder, "none.ndjson")).length).toBeGreaterThan(100_000);
  });
});
