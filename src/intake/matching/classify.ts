import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import keywordFile from "../../../data/industry-keywords.json" with { type: "json" };
import table from "../../../data/nsi-isic.json" with { type: "json" };
import { commonIndustry, findIndustry } from "../../contract/cities/industry.ts";
import type { IndustryMethod, IndustryState } from "../../contract/enums.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { isGenericName } from "../lines/name.ts";

/** Which industry a record belongs to: what the source declares, else what its name suggests (design 6). */

interface Classification {
  readonly industry: string | null;
  readonly method: IndustryMethod;
  readonly state: IndustryState;
  /** Whether the ranking gate may rely on it; a suggestion from a name may not until it is reviewed. */
  readonly authoritative: boolean;
}

export type Classified = Classification | { readonly reason: "unknown_industry_code" };

export interface ClassifierReference {
  readonly brands: Brands;
  /** Words of a name key -> ISIC code. */
  readonly keywords: ReadonlyMap<string, string>;
}

export interface Classifier {
  /** `nameKey` as made by `nameKey()`; `declared` is the ISIC code of any level that the source gives, if any. */
  classify(subject: { readonly nameKey: string; readonly declared?: string | undefined }): Classified;
  isBrand(nameKey: string): boolean;
  /** By what a name proposes an industry: a word, or the name of a listed brand. Undefined for one that proposes none. */
  ruleOf(nameKey: string): { readonly industry: string; readonly word: string | undefined } | undefined;
}

const UNCLASSIFIED: Classification = {
  industry: null,
  method: "unclassified",
  state: "unclassified",
  authoritative: false,
};

const CACHED_NAMES = 100_000;

export function loadClassifierReference(): ClassifierReference {
  return { brands: loadBrands(), keywords: loadKeywords() };
}

export function loadKeywords(): ReadonlyMap<string, string> {
  const { rules } = KeywordFile.parse(keywordFile);
  return new Map(
    rules.flatMap(([code, phrases]) => phrases.map((phrase) => [nameKey(phrase), code] as const)),
  );
}

const KeywordFile = z.object({ rules: z.array(z.tuple([z.string(), z.array(z.string())])) });

let standard: Classifier | undefined;

/** The classifier by the package's lists, which take a second to load: only once, and only when it is asked for. */
export function standardClassifier(): Classifier {
  standard ??= classifier(loadClassifierReference());
  return standard;
}

export function classifier(reference: ClassifierReference): Classifier {
  const wordIn = longestPhrase(reference.keywords);
  const ruleOf = (key: string) => {
    const brand = reference.brands.get(key);
    return brand == null ? wordIn(key) : { industry: brand, word: undefined };
  };
  const suggest = nameRule(ruleOf);
  return {
    isBrand: (key) => reference.brands.has(key),
    ruleOf,
    classify: ({ nameKey: key, declared }) => {
      if (declared === undefined) return suggest(key);
      if (findIndustry(declared) === undefined) return { reason: "unknown_industry_code" };
      return { industry: declared, method: "declared", state: "declared", authoritative: true };
    },
  };
}

function nameRule(ruleOf: Classifier["ruleOf"]): (key: string) => Classification {
  // Emptied when full: the names of a city repeat, but only while that city is taken in.
  const cache = new Map<string, Classification>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const industry = ruleOf(key)?.industry;
    const found: Classification =
      industry === undefined
        ? UNCLASSIFIED
        : { industry, method: "name_rule", state: "review", authoritative: false };
    if (cache.size >= CACHED_NAMES) cache.clear();
    cache.set(key, found);
    return found;
  };
}

/** The longest phrase in a key decides; of equally long ones the last, as English puts the trade last. */
function longestPhrase(keywords: ReadonlyMap<string, string>): Classifier["ruleOf"] {
  const longest = Math.max(0, ...[...keywords.keys()].map((phrase) => phrase.split(" ").length));
  return (key) => {
    const words = key.split(" ");
    for (let length = Math.min(longest, words.length); length > 0; length--) {
      for (let start = words.length - length; start >= 0; start--) {
        const word = words.slice(start, start + length).join(" ");
        const industry = keywords.get(word);
        if (industry !== undefined) return { industry, word };
      }
    }
    return undefined;
  };
}

/** Brand names, from npm `name-suggestion-index` (names of OpenStreetMap's brands, BSD-3-Clause). */

/** Name key of a brand -> its ISIC code, or null when its categories leave it open. */
export type Brands = ReadonlyMap<string, string | null>;

const NameTag = z.string().optional();

const Category = z.object({
  items: z.array(
    z.object({
      matchNames: z.array(z.string()).optional(),
      // Named keys, not a record: checking 19,000 records of tags would take most of the loading time.
      tags: z.object({
        name: NameTag,
        "name:en": NameTag,
        "name:fr": NameTag,
        "name:es": NameTag,
        "name:de": NameTag,
        brand: NameTag,
        "brand:en": NameTag,
      }),
    }),
  ),
});
type Item = z.infer<typeof Category>["items"][number];
const Index = z.object({ nsi: z.record(z.string(), z.unknown()) });
const Counts = z.object({ keep: z.record(z.string(), z.number()) });

/** Category (`amenity/restaurant`) -> the names that brands bear in it. */
export type BrandNames = ReadonlyMap<string, readonly string[]>;
/** `amenity/restaurant|Name` -> on how many places of OpenStreetMap it was found. */
export type BrandCounts = Readonly<Record<string, number>>;

const Table = z.object({ industries: z.array(z.tuple([z.string(), z.array(z.string())])) });

/** Category -> ISIC code, as far as the meaning of the category is clear. */
export const INDUSTRY_OF_CATEGORY: ReadonlyMap<string, string> = new Map(
  Table.parse(table).industries.flatMap(([code, categories]) =>
    categories.map((name) => [name, code] as const),
  ),
);

const BRANDS = "brands/";

/** Read the brand list from the package (12 MB, about a quarter of a second): once per process, at the edge. */
export function loadBrands(): Brands {
  return brandIndustries(readBrandNames(), Counts.parse(readIndexFile("filtered/brands_keep.min.json")).keep);
}

export function readBrandNames(): BrandNames {
  const { nsi } = Index.parse(readIndexFile("nsi.min.json"));
  const paths = Object.keys(nsi).filter((path) => path.startsWith(BRANDS));
  return new Map(
    paths.map((path) => [path.slice(BRANDS.length), Category.parse(nsi[path]).items.flatMap(spellings)]),
  );
}

function readIndexFile(name: string): unknown {
  // The package exports its program only; the data lie next to it.
  const require = createRequire(import.meta.url);
  const program = require.resolve("name-suggestion-index");
  return JSON.parse(readFileSync(new URL(`../json/${name}`, pathToFileURL(program)), "utf8"));
}

function spellings({ tags, matchNames = [] }: Item): string[] {
  return [...new Set([...Object.values(tags), ...matchNames])].filter((name) => name !== undefined);
}

/**
 * Every brand name with the industry it is found in most often: being listed in a category counts one, each place of the
 * map one more. Equal support leaves what the codes have in common. Generic words ("market") are no brand names.
 */
export function brandIndustries(names: BrandNames, counts: BrandCounts): Brands {
  const support = new Map<string, Support>();
  for (const [category, listed] of names) {
    for (const key of new Set(listed.map(nameKey))) {
      if (isGenericName(key)) continue;
      const codes: Support = support.get(key) ?? new Map();
      support.set(key, addSupport(codes, category, 1));
    }
  }
  for (const [entry, count] of Object.entries(counts)) {
    const [category = "", name = ""] = entry.split("|");
    const codes = support.get(nameKey(name));
    if (codes !== undefined) addSupport(codes, category, count);
  }
  return new Map([...support].map(([key, codes]) => [key, mostSupported(codes)]));
}

/** ISIC code -> how much speaks for it. */
type Support = Map<string, number>;

function addSupport(codes: Support, category: string, count: number): Support {
  const code = INDUSTRY_OF_CATEGORY.get(category);
  return code === undefined ? codes : codes.set(code, (codes.get(code) ?? 0) + count);
}

function mostSupported(codes: Support): string | null {
  const most = Math.max(...codes.values());
  return commonIndustry([...codes].flatMap(([code, count]) => (count === most ? [code] : [])));
}
