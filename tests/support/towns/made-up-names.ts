/** Made-up record names and queries for the search bench; the same seed gives the same list on every machine. */

import { gridDisk, latLngToCell } from "h3-js";
import { INDUSTRIES, industryPath } from "../../../src/contract/cities/industry.ts";
import { OnlinePresence } from "../../../src/contract/enums.ts";
import type { SeededRandom } from "../../../src/kernel/seeded.ts";
import type { SearchPage } from "../../../src/snapshot/search/search.ts";
import type { SearchSource } from "../../../src/snapshot/search/search-index.ts";

const WORDS = 20_000;
const CITIES = 200;
const WEBSITES = 500_000;
const CELL_RINGS = 100; // about 30,000 cells
const CLASSES = INDUSTRIES.filter(({ level }) => level === "class").slice(0, 80);
const MAX_NEEDLE = 12;
const SYLLABLES =
  "er in an re on ing es ter tion al or ro ar ma co de en ti la ri me li ne ra mo ca con per pa ver ta ga ba lo da bo ki sun wil tho mas ber gol hea joh mar kin ley ton vil den ham ford stan wood green qui zer xan".split(
    " ",
  );
const TAILS = [
  "",
  "",
  "",
  " Café",
  " & Söhne",
  " Ltd",
  " Bakery",
  " Auto Repair",
  " No. 7",
  " (East)",
  " 東京店",
];

export interface MadeUpQuery {
  readonly filter: "none" | "city" | "city+industry" | "industry" | "online";
  readonly filters: SearchPage;
}

/** Names of 28 characters on average, in cities and industries whose sizes follow Zipf's law; every other one has a website. */
export function madeUpNames(count: number, random: SeededRandom): SearchSource[] {
  const vocabulary = Array.from({ length: WORDS }, () => madeUpWord(random));
  const verdicts = OnlinePresence.options;
  const cells = gridDisk(latLngToCell(45, -75, 8), CELL_RINGS);
  return Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    name: madeUpName(vocabulary, random),
    city: `city-${zipf(CITIES, random)}`,
    industry: random() < 0.1 ? null : (CLASSES[zipf(CLASSES.length, random)]?.code ?? null),
    onlinePresence: verdicts[zipf(verdicts.length, random)] ?? "unknown",
    website: random() < 0.5 ? null : `https://${madeUpWord(random)}${index % WEBSITES}.example`,
    fixedCells: [pick(cells, random)],
  }));
}

/** Half without a filter, a fifth by city, 15 % by city and industry, a tenth by industry, 5 % by online presence. */
export function madeUpQueries(
  rows: readonly SearchSource[],
  count: number,
  limit: number,
  random: SeededRandom,
): MadeUpQuery[] {
  return Array.from({ length: count }, () => {
    const name = madeUpNeedle(rows, random);
    const city = `city-${Math.floor(random() * CITIES)}`;
    const industry = madeUpIndustry(random);
    const onlinePresence = pick(OnlinePresence.options, random);
    const kind = random();
    if (kind < 0.5) return { filter: "none", filters: { name, limit } };
    if (kind < 0.7) return { filter: "city", filters: { name, city, limit } };
    if (kind < 0.85) return { filter: "city+industry", filters: { name, city, industry, limit } };
    if (kind < 0.95) return { filter: "industry", filters: { name, industry, limit } };
    return { filter: "online", filters: { name, onlinePresence, limit } };
  });
}

/** Whole names in capitals, as they may stand on a sign; every other one is looked for in its own city. */
export function madeUpSameNames(
  rows: readonly SearchSource[],
  count: number,
  limit: number,
  random: SeededRandom,
): SearchPage[] {
  return Array.from({ length: count }, (_, index) => {
    const { name, city } = pick(rows, random);
    return { name: name.toUpperCase(), nameMatch: "same", city: index % 2 === 0 ? city : undefined, limit };
  });
}

/** A code of any level: a class, or one of its ancestors. */
function madeUpIndustry(random: SeededRandom): string {
  return pick(industryPath(pick(CLASSES, random).code), random);
}

/** A part of some name; one in five is a part with its letters shuffled, which is rare or absent. */
function madeUpNeedle(rows: readonly SearchSource[], random: SeededRandom): string {
  const { name } = pick(rows, random);
  const start = Math.floor(random() * name.length);
  const needle = name.slice(start, start + 1 + Math.floor(random() * MAX_NEEDLE));
  return random() < 0.2 ? shuffled([...needle], random).join("") : needle;
}

function shuffled(letters: readonly string[], random: SeededRandom): string[] {
  const keyed = letters.map((letter) => ({ letter, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ letter }) => letter);
}

function madeUpName(vocabulary: readonly string[], random: SeededRandom): string {
  const words = Array.from({ length: 2 + Math.floor(random() * 3) }, () => {
    const word = vocabulary[zipf(vocabulary.length, random)] ?? "";
    return word.slice(0, 1).toUpperCase() + word.slice(1);
  });
  return words.join(" ") + pick(TAILS, random);
}

function madeUpWord(random: SeededRandom): string {
  const length = 2 + Math.floor(random() * 3);
  return Array.from({ length }, () => SYLLABLES[zipf(SYLLABLES.length, random)] ?? "").join("");
}

/** A rank 0..size-1, rank r about as likely as 1 / (r + 1). */
function zipf(size: number, random: SeededRandom): number {
  return Math.floor((size + 1) ** random()) - 1;
}

function pick<T>(values: readonly T[], random: SeededRandom): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError("nothing to pick from");
  return value;
}
