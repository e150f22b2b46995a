import { greatCircleDistance, UNITS } from "h3-js";
import { expect, test } from "vitest";
import { findIndustry } from "../contract/cities/industry.ts";
import { cleanName, isGenericName } from "../intake/lines/name.ts";
import { classifier, loadClassifierReference } from "../intake/matching/classify.ts";
import { SeededNumbers } from "../kernel/seeded.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { businessesOf } from "./businesses.ts";
import { tellStory } from "./demo.ts";
import { CAST, CITIES, measured, placeIn, styleOf } from "./fixture.ts";

const businesses = CITIES.flatMap(businessesOf);
const nights = tellStory();
const lines = nights.flatMap(({ sightings }) => sightings.map(({ line }) => line));

test("names are clean, say something, and belong to no real brand", () => {
  const { isBrand } = classifier(loadClassifierReference());
  for (const { name } of businesses) {
    expect(cleanName(name)).toEqual({ name });
    expect([name, isGenericName(nameKey(name)), isBrand(nameKey(name))]).toEqual([name, false, false]);
  }
});

test("signs without a name are generic to intake", () => {
  for (const name of CAST.generic) expect([name, isGenericName(nameKey(name))]).toEqual([name, true]);
});

test("industries are codes of the taxonomy", () => {
  const trades = CITIES.flatMap((city) => styleOf(city).trades.map(([, industry]) => industry));
  const codes = [...trades, ...[...CAST.named, ...CAST.namesakes].map(({ industry }) => industry)];
  for (const code of codes) if (code !== null) expect([code, findIndustry(code)?.code]).toEqual([code, code]);
});

test("no line could reach anybody: hosts end in .example, telephones are 555-01xx", () => {
  for (const { website, phone } of lines) {
    if (website) expect(new URL(website).hostname).toMatch(/\.example$/);
    if (phone) expect(phone).toMatch(/^\+1 519 555 01\d\d$/);
  }
});

test("several places of one business share a contact, and no two businesses of a city do", () => {
  for (const { assets, website, phone } of businesses)
    if (assets.length > 1) expect(website ?? phone).not.toBeNull();
  for (const city of CITIES) {
    const contacts = businesses
      .filter((each) => each.city === city)
      .flatMap(({ website, phone }) => website ?? phone ?? []);
    expect(new Set(contacts).size).toBe(contacts.length);
  }
});

test("each line has a reference of its own", () => {
  expect(new Set(lines.map(({ source_type, source_ref }) => `${source_type} ${source_ref}`)).size).toBe(
    lines.length,
  );
});

test("nights follow one another through the year and keep to the life of their city", () => {
  expect(nights.map(({ day }) => day)).toEqual(nights.map((_, at) => (nights[0]?.day ?? 0) + at));
  expect(nights.length).toBe(365);
  for (const { city, from, until } of businesses)
    expect(city.first_day <= from && from <= until && until <= city.last_day).toBe(true);
});

test("places lie in their quarter, and a second measurement a few metres off", () => {
  const numbers = new SeededNumbers("places");
  for (const city of CITIES) {
    const place = placeIn(city, numbers, 0);
    const [north, east, half] = city.quarters[0] ?? [0, 0, 0];
    const { lat, lng } = city.gazetteer;
    const reach = Math.hypot(north, east) + Math.SQRT2 * half + 0.05;
    expect(greatCircleDistance([lat, lng], [place.lat, place.lng], UNITS.km)).toBeLessThan(reach);
    const again = measured(place, numbers);
    expect(greatCircleDistance([place.lat, place.lng], [again.lat, again.lng], UNITS.m)).toBeLessThan(9);
  }
});
