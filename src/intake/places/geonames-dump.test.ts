import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { parseGeoNamesDump, parseRegionNames } from "./geonames-dump.ts";

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
