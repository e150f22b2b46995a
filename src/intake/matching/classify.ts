/** Which industry a record belongs to: what the source declares, else what its name suggests (design 6). */
import { z } from "zod";
import keywordFile from "../../../data/industry-keywords.json" with { type: "json" };
import { findIndustry } from "../../contract/cities/industry.ts";
import type { IndustryMethod, IndustryState } from "../../contract/enums.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { type Brands, loadBrands } from "./brands.ts";

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
  const suggest = nameRule(reference);
  return {
    isBrand: (key) => reference.brands.has(key),
    classify: ({ nameKey: key, declared }) => {
      if (declared === undefined) return suggest(key);
      if (findIndustry(declared) === undefined) return { reason: "unknown_industry_code" };
      return { industry: declared, method: "declared", state: "declared", authoritative: true };
    },
  };
}

function nameRule({ brands, keywords }: ClassifierReference): (key: string) => Classification {
  const byKeyword = longestPhrase(keywords);
  // Emptied when full: the names of a city repeat, but only while that city is taken in.
  const cache = new Map<string, Classification>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const industry = brands.get(key) ?? byKeyword(key);
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
function longestPhrase(keywords: ReadonlyMap<string, string>): (key: string) => string | undefined {
  const longest = Math.max(0, ...[...keywords.keys()].map((phrase) => phrase.split(" ").length));
  return (key) => {
    const words = key.split(" ");
    for (let length = Math.min(longest, words.length); length > 0; length--) {
      for (let start = words.length - length; start >= 0; start--) {
        const code = keywords.get(words.slice(start, start + length).join(" "));
        if (code !== undefined) return code;
      }
    }
    return undefined;
  };
}
