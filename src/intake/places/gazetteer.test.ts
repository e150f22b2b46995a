import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { GazetteerCity } from "../../contract/cities/city.ts";
import {
  asciiName,
  loadDefaultGazetteer,
  loadGazetteer,
  parseGeoNamesDump,
  parseRegionNames,
  readGazetteerFile,
  writeGazetteerFile,
} from "./gazetteer.ts";

describe("gazetteer", () => {
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
        const moved = known.filter(
          ({ row, ours }) => Math.hypot(row.lat - ours.lat, row.lon - ours.lng) > 0.1,
        );
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
});

describe("geonames dump", () => {
  const TORONTO =
    "6167865\tToronto\tToronto\tYork,Торонто\t43.70643\t-79.39864\tP\tPPLA\tCA\t\t08\t3520\t\t\t2794356\t\t175\tAmerica/Toronto\t2024-01-01";

  const edited = (changes: Record<number, string>) =>
    TORONTO.split("\t")
      .map((value, index) => changes[index] ?? value)
      .join("\t");

  async function read(lines: readonly string[], regions: ReadonlyMap<string, string> = new Map()) {
    const bad: [number, string][] = [];
    const cities: GazetteerCity[] = [];
    for await (const city of parseGeoNamesDump(lines, regions, (...problem) => bad.push(problem)))
      cities.push(city);
    return { cities, bad };
  }

  describe("parseGeoNamesDump", () => {
    it("reads a line, with the region's name where it is known", async () => {
      const { cities, bad } = await read([TORONTO], new Map([["CA.08", "Ontario"]]));
      expect(bad).toEqual([]);
      expect(cities).toEqual([
        {
          geonameId: 6167865,
          name: "Toronto",
          asciiName: "Toronto",
          region: "Ontario",
          regionCode: "08",
          countryCode: "CA",
          countryName: "Canada",
          population: 2794356,
          lat: 43.70643,
          lng: -79.39864,
        },
      ]);
    });

    it("accepts carriage returns, blank lines and quotes", async () => {
      const { cities, bad } = await read([`${TORONTO}\r`, "", edited({ 0: "7", 1: '"Q" ville' })]);
      expect(cities.map((city) => city.name)).toEqual(["Toronto", '"Q" ville']);
      expect(bad).toEqual([]);
    });

    it("reports each bad line by number and reason and reads on", async () => {
      const { cities, bad } = await read([
        "geonameid\tname",
        edited({ 4: "95" }),
        edited({ 4: "" }),
        edited({ 5: "0x10" }),
        edited({ 6: "T" }),
        edited({ 8: "Canada" }),
        edited({ 14: "-1" }),
        edited({ 0: "1.5" }),
        edited({ 1: "" }),
        TORONTO,
        TORONTO,
      ]);
      expect(cities).toHaveLength(1);
      expect(bad.map(([line]) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 11]);
      expect(bad.map(([, reason]) => reason.split(/[:(]/)[0]?.trim())).toEqual([
        "expected 19 tab-separated columns, found 2",
        "lat",
        "lat",
        "lng",
        "not a populated place",
        "countryCode",
        "population",
        "geonameId",
        "name",
        "geonameId 6167865 occurs twice",
      ]);
    });

    it("accounts for every line of any text", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(fc.string(), fc.constant(TORONTO))), async (lines) => {
          const { cities, bad } = await read(lines);
          expect(cities.length + bad.length).toBe(lines.filter((line) => line.trim() !== "").length);
        }),
      );
    });
  });

  describe("parseRegionNames", () => {
    it("maps codes to names and reports what is no region", async () => {
      const bad: number[] = [];
      const lines = ["CA.08\tOntario\tOntario\t6093943\r", "", "nonsense", "US.IL\tIllinois"];
      const names = await parseRegionNames(lines, (line) => bad.push(line));
      expect(Object.fromEntries(names)).toEqual({ "CA.08": "Ontario", "US.IL": "Illinois" });
      expect(bad).toEqual([3]);
    });
  });
});
