import { Likeness, type Wanted, wordsOf } from "./likeness.ts";
import { BLOCK_SIZE, decodeBlock } from "./offset-block.ts";
import { candidates, findNeeds, type Index, type SearchFilters, type TermRow } from "./search.ts";
import { foldName, needleGrams } from "./search-terms.ts";
import { BLOCK_KEY_SPAN } from "./term-blocks.ts";

/**
 * Names that look like one that matches nothing. The grams of its words lead to the names that share most, which are then compared
 * word by word. The bounds keep a query of common grams as cheap as any: what they leave out is what tells names least apart.
 */

/** Records of the grams that are counted, the rarest first. */
const MAX_COUNTED = 600_000;
const MAX_GRAMS = 64;
const MAX_COMPARED = 400;
/** Less alike than that is no suggestion, */
const MIN_ALIKE = 0.6;
/** nor is what is so much less alike than the best. */
const MAX_BEHIND = 0.15;
/** The weight of the name of a city in a query, which few names of its businesses hold, and of what leads to it. */
const CITY_WEIGHT = 0.2;

export interface SimilarQuery extends Omit<SearchFilters, "name" | "nameMatch"> {
  readonly name: string;
}

/** Slugs of cities by the words of their names; null for a name of several. */
export type CityNames = ReadonlyMap<string, string | null>;

export interface NamedCity {
  readonly slug: string;
  readonly name: string;
  readonly region: string;
  readonly regionCode: string;
  readonly country: string;
  readonly countryName: string;
}

/** `Guelph`, `Guelph, Ontario`, `Guelph, Canada`, `Guelph, Ontario, Canada` and so on. */
export function cityNames(cities: Iterable<NamedCity>): CityNames {
  const slugs = new Map<string, string | null>();
  for (const { slug, name, region, regionCode, country, countryName } of cities) {
    const regions = ["", region, regionCode].flatMap((part) => [
      part,
      `${part} ${country}`,
      `${part} ${countryName}`,
    ]);
    for (const place of regions) {
      const key = wordsOf(foldName(`${name} ${place}`)).join(" ");
      const known = slugs.get(key);
      slugs.set(key, known === undefined || known === slug ? slug : null);
    }
  }
  return slugs;
}

/**
 * Positions of at most `max` names, the most alike first. A city that the query names is where they are looked for first.
 */
export function findSimilar(
  index: Index,
  cities: CityNames,
  { name, ...filters }: SimilarQuery,
  max: number,
): number[] {
  const words = [...new Set(wordsOf(foldName(name)))];
  if (words.length === 0) return [];
  const named = namedCity(words, cities);
  const wanted = words.map((word, at) => ({
    word,
    weight: named?.isOf(at) ? CITY_WEIGHT : rarity(index, word),
  }));
  const leading = words.findIndex((_, at) => named?.isOf(at)) - 1; // "around" in "bakery around Guelph"
  const there =
    typeof named?.slug !== "string" || filters.city !== undefined
      ? []
      : mostAlike(index, wanted, { ...filters, city: named.slug }, max, leading);
  return there.length > 0 ? there : mostAlike(index, wanted, filters, max);
}

const MAX_CITY_WORDS = 6;

/** The city that some of the words name, unless they are all. */
function namedCity(words: readonly string[], cities: CityNames) {
  for (let length = Math.min(MAX_CITY_WORDS, words.length - 1); length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const slug = cities.get(words.slice(start, start + length).join(" "));
      if (slug !== undefined) return { slug, isOf: (at: number) => at >= start && at < start + length };
    }
  return undefined;
}

/** The fewer names can have a word, the more it counts. */
function rarity(index: Index, word: string): number {
  const counts = needleGrams(word.normalize()).grams.map((gram) => index.term.get(gram)?.records ?? 0);
  return informationOf(index, Math.min(...counts) + 1);
}

/** In eighths of a bit, so that sums are small whole numbers. */
function informationOf({ names }: Index, records: number): number {
  return Math.round(8 * Math.log2(1 + names / records));
}

function mostAlike(
  index: Index,
  wanted: readonly Wanted[],
  filters: SearchFilters,
  max: number,
  leading = -1,
): number[] {
  const shared = mostShared(index, wanted, filters).map(({ position }) => ({
    position,
    name: index.folded.get(position) ?? "",
  }));
  const names = shared.map(({ name }) => name);
  const likeness = new Likeness(withoutLeading(wanted, leading, names));
  const compared = shared
    .map(({ position, name }) => ({ position, score: likeness.of(name) }))
    .sort(bestFirst);
  const least = Math.max(MIN_ALIKE, (compared[0]?.score ?? 0) - MAX_BEHIND);
  return compared
    .filter(({ score }) => score >= least)
    .slice(0, max)
    .map(({ position }) => position);
}

/**
 * The word before the name of the city tells where, as the name does, if no name there has one like it and one has the word before it.
 * A word in another place, or without such a neighbor, may be the name of a business that is not recorded.
 */
function withoutLeading(
  wanted: readonly Wanted[],
  leading: number,
  names: readonly string[],
): readonly Wanted[] {
  if (leading < 1) return wanted;
  const known = new Likeness(wanted);
  const has = (at: number, least: number) => names.some((name) => known.ofWord(at, name) >= least);
  if (has(leading, MIN_ALIKE) || !has(leading - 1, 1)) return wanted;
  return wanted.map((each, at) => (at === leading ? { ...each, weight: CITY_WEIGHT } : each));
}

interface Scored {
  readonly position: number;
  readonly score: number;
}

/** Of equal ones the first in display order. */
function bestFirst(a: Scored, b: Scored): number {
  return b.score - a.score || a.position - b.position;
}

/** Runs of two and three characters; a word of one is one. */
function gramsOf(word: string): string[] {
  const characters = [...word];
  const pairs = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  return [...pairs, ...needleGrams(word).grams];
}

/** The names that share most with the words: a gram counts as much as it tells. */
function mostShared(index: Index, wanted: readonly Wanted[], filters: SearchFilters): readonly Scored[] {
  const needs = findNeeds(index, filters, []);
  const grams = countedGrams(index, wanted);
  const scores = new Uint16Array(BLOCK_SIZE);
  let best: Scored[] = [];
  for (let block = 0; needs !== undefined && block < index.blocks; block += 1) {
    const within = needs.keys.length + needs.terms.length === 0 ? EVERY : candidates(index, block, needs);
    if (within.length === 0) continue;
    scores.fill(0);
    for (const { id, records } of grams)
      count(scores, index.block.get(block * BLOCK_KEY_SPAN + id), informationOf(index, records));
    const found = highest(scores, within, best[MAX_COMPARED - 1]?.score ?? 0).map((offset) => ({
      position: block * BLOCK_SIZE + offset,
      score: scores[offset] ?? 0,
    }));
    if (found.length > 0) best = [...best, ...found].sort(bestFirst).slice(0, MAX_COMPARED);
  }
  return best;
}

const EVERY = Uint16Array.from({ length: BLOCK_SIZE }, (_, offset) => offset);

function countedGrams(index: Index, wanted: readonly Wanted[]): readonly TermRow[] {
  let counted = 0;
  return [...new Set(wanted.flatMap(({ word }) => gramsOf(word.normalize())))]
    .flatMap((gram) => index.term.get(gram) ?? [])
    .sort((a, b) => a.records - b.records || a.id - b.id)
    .slice(0, MAX_GRAMS)
    .filter(({ records }) => {
      counted += records;
      return counted <= MAX_COUNTED;
    });
}

function count(scores: Uint16Array, bytes: Uint8Array | undefined, information: number): void {
  if (bytes === undefined) return;
  const offsets = decodeBlock(bytes);
  for (let at = 0; at < offsets.length; at += 1) {
    const offset = offsets[at] ?? 0;
    scores[offset] = (scores[offset] ?? 0) + information;
  }
}

/** At most `MAX_COMPARED` offsets with the highest scores above one. */
function highest(scores: Uint16Array, within: Uint16Array, above: number): number[] {
  const { least, room } = leastOf(scores, within, above);
  const found: number[] = [];
  let ties = 0;
  for (let at = 0; at < within.length; at += 1) {
    const offset = within[at] ?? 0;
    const score = scores[offset] ?? 0;
    if (score <= above || score < least) continue;
    if (score === least) ties += 1;
    if (score > least || ties <= room) found.push(offset);
  }
  return found;
}

const counts = new Uint32Array(2 ** 16); // by score

/** The least score of which there is room for some, and for how many: scores are counted, because sorting takes longer. */
function leastOf(scores: Uint16Array, within: Uint16Array, above: number) {
  counts.fill(0);
  for (let at = 0; at < within.length; at += 1) {
    const score = scores[within[at] ?? 0] ?? 0;
    if (score > above) counts[score] = (counts[score] ?? 0) + 1;
  }
  let least = counts.length - 1;
  let room = MAX_COMPARED;
  for (; least > above && (counts[least] ?? 0) <= room; least -= 1) room -= counts[least] ?? 0;
  return { least, room };
}
