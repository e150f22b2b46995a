import { expect, test } from "vitest";
import exonyms from "../../../data/city-exonyms.json" with { type: "json" };
import { loadDefaultGazetteer } from "./gazetteer.ts";
import { searchCities } from "./search-cities.ts";

const ALL = loadDefaultGazetteer();
const first = (asked: string, country?: string) => {
  const [found] = searchCities(ALL, asked, country);
  return found && [found.city.name, found.city.countryCode, found.alias];
};

test.for([
  ["ghent", ["Gent", "BE", "Ghent"]],
  ["Gand", ["Gent", "BE", "Gand"]],
  ["gent", ["Gent", "BE", null]],
  ["Lüttich", ["Liège", "BE", "Lüttich"]],
  ["den haag", ["The Hague", "NL", "Den Haag"]],
  ["cologne", ["Köln", "DE", "Cologne"]],
  ["Mailand", ["Milan", "IT", "Mailand"]],
  ["toronto", ["Toronto", "CA", null]],
  ["Torronto", ["Toronto", "CA", null]], // one letter too many
  ["Barclona", ["Barcelona", "ES", null]],
] as const)("%s", ([asked, found]) => {
  expect(first(asked)).toEqual(found);
});

test("those that are called so come first, then by population; a country narrows", () => {
  const found = searchCities(ALL, "valencia")
    .slice(0, 4)
    .map(({ city }) => city);
  expect(found[0]).toMatchObject({ name: "Valencia" });
  expect(found.map(({ population }) => population)).toEqual(
    found.map(({ population }) => population).toSorted((a, b) => b - a),
  );
  expect(first("valencia", "ve")?.[1]).toBe("VE");
  expect(searchCities(ALL, "xyzzy")).toEqual([]);
  for (const blank of ["", " ", "'"]) expect(searchCities(ALL, blank)).toEqual([]);
});

test("every name in another language is of a city of the catalog", () => {
  const known = new Set(ALL.map(({ countryCode, name }) => `${countryCode} ${name}`));
  const missing = Object.entries(exonyms.countries).flatMap(([country, cities]) =>
    Object.keys(cities).filter((name) => !known.has(`${country} ${name}`)),
  );
  expect(missing).toEqual([]);
});
