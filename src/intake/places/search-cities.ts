import { z } from "zod";
import exonyms from "../../../data/city-exonyms.json" with { type: "json" };
import type { GazetteerCity } from "../../contract/cities/city.ts";
import { nameKey } from "../../kernel/text/name-key.ts";

/** Names in other languages: country -> name in the catalog -> names. */
const Exonyms = z.object({ countries: z.record(z.string(), z.record(z.string(), z.array(z.string()))) });

/** A city whose name fits, and the name in another language by which it does. */
export interface CityFound {
  readonly city: GazetteerCity;
  readonly alias: string | null;
}

/** How well a name fits; smaller is better. */
const FIT = { same: 0, beginning: 1, within: 2, near: 3 } as const;
/** Letters that may differ, of names that long. */
const MAX_MISTAKES = [
  [8, 2],
  [5, 1],
] as const;

/**
 * Cities by their name or one in another language: those that are called so, then those of whose name it is the beginning or a part,
 * then, where there is none, those spelled nearly so; the most populous first. Case and accents do not matter.
 */
export function searchCities(all: readonly GazetteerCity[], asked: string, country?: string): CityFound[] {
  const needle = nameKey(asked);
  if (needle === "") return [];
  const others = otherNames();
  const inCountry = all.filter((city) => country === undefined || city.countryCode === country.toUpperCase());
  const byFit = (fitOf: (name: string) => number | undefined) =>
    inCountry
      .flatMap((city) => best(city, others.get(`${city.countryCode} ${city.name}`) ?? [], fitOf))
      .sort((a, b) => a.fit - b.fit || b.city.population - a.city.population)
      .map(({ city, alias }) => ({ city, alias }));
  const found = byFit((name) => literalFit(name, needle));
  return found.length > 0 ? found : byFit((name) => nearFit(name, needle));
}

/** Of namesakes in a country the most populous has the names: the list means large cities. */
function best(
  city: GazetteerCity,
  aliases: readonly string[],
  fitOf: (name: string) => number | undefined,
): { city: GazetteerCity; alias: string | null; fit: number }[] {
  const own = [city.name, city.asciiName].map((name) => ({ alias: null, fit: fitOf(nameKey(name)) }));
  const other =
    city.population >= MIN_ALIASED ? aliases.map((alias) => ({ alias, fit: fitOf(nameKey(alias)) })) : [];
  const fits = [...own, ...other].flatMap(({ alias, fit }) =>
    fit === undefined ? [] : [{ city, alias, fit }],
  );
  return fits.sort((a, b) => a.fit - b.fit).slice(0, 1);
}

const MIN_ALIASED = 10_000;

function literalFit(name: string, needle: string): number | undefined {
  if (name === needle) return FIT.same;
  if (name.startsWith(needle)) return FIT.beginning;
  return name.includes(needle) ? FIT.within : undefined;
}

function nearFit(name: string, needle: string): number | undefined {
  const most = MAX_MISTAKES.find(([length]) => needle.length >= length)?.[1] ?? 0;
  return most > 0 && isWithin(name, needle, most) ? FIT.near : undefined;
}

/** Whether so many letters at most are added, missing or other. */
function isWithin(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, exchanged));
    }
    row = next;
  }
  return (row[b.length] ?? most + 1) <= most;
}

let names: ReadonlyMap<string, readonly string[]> | undefined;

function otherNames(): ReadonlyMap<string, readonly string[]> {
  names ??= new Map(
    Object.entries(Exonyms.parse(exonyms).countries).flatMap(([country, cities]) =>
      Object.entries(cities).map(([name, others]) => [`${country} ${name}`, others] as const),
    ),
  );
  return names;
}
