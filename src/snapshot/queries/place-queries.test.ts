import { afterAll, beforeAll, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { INDUSTRIES } from "../../contract/cities/industry.ts";
import { openSnapshot, type Snapshot } from "../snapshot.ts";

const place = (geonameId: number, name: string, region: string, regionCode: string, population: number) => ({
  geonameId,
  name,
  asciiName: name.normalize("NFKD").replace(/\p{M}/gu, ""),
  region,
  regionCode,
  countryCode: regionCode === "ON" ? "CA" : "US",
  countryName: regionCode === "ON" ? "Canada" : "United States",
  population,
  lat: 43,
  lng: -79,
});
const GAZETTEER = [
  place(6_167_865, "Toronto", "Ontario", "ON", 2_800_000),
  place(2, "Waterloo", "Ontario", "ON", 97_000),
  place(3, "Waterloo", "Iowa", "IA", 68_000),
  place(4, "Cañon City", "Colorado", "CO", 16_000),
  place(5, "Toronto", "Ohio", "OH", 5_000),
];

let town: TestTown;
let snapshot: Snapshot;
beforeAll(() => {
  town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  const reference = { gazetteer: GAZETTEER, industries: INDUSTRIES };
  snapshot = openSnapshot(town.build(town.seal(), "2026-05-01T13:00:00Z", { reference }).path);
});
afterAll(() => {
  snapshot.close();
  town[Symbol.dispose]();
});

const covered = { kind: "covered", slug: "toronto" };
const outside = (geonameId: number) => ({ kind: "outside", geonameId });

test.each([
  ["toronto", covered],
  [" TORONTO ", covered],
  ["Toronto, Ontario", covered],
  ["Toronto, CA", covered],
  ["Toronto, OH", outside(5)], // another one, as it says
  ["waterloo", outside(2)], // the most populous
  ["Waterloo, Iowa", outside(3)],
  ["Waterloo, IA, United States", outside(3)],
  ["canon-city", outside(4)],
  ["CAÑON  CITY,", outside(4)],
])("%j means one city", (text, expected) => {
  expect(snapshot.placeNamed(text)).toEqual(expected);
});

test.each([
  "",
  ",",
  "John Smith",
  "Waterloo, France",
  "Waterlo",
  "12 High Street, Toronto",
  "%",
  "' OR 1=1 --",
  "\0",
  "a".repeat(9999),
])("%j means none", (text) => {
  expect(snapshot.placeNamed(text)).toBeUndefined();
});

test("the cities of the service are known by their ids in the catalogue", () => {
  expect([...snapshot.coveredGeonames()]).toEqual([[6_167_865, "toronto"]]);
});
