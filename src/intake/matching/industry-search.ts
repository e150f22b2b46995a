import { INDUSTRIES } from "../../contract/cities/industry.ts";
import type { IndustryLevel } from "../../contract/enums.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { CATEGORY_CODES } from "../maps/category-words.ts";
import { loadKeywords } from "./classify.ts";

/** An industry that fits a word. */
export interface IndustryFound {
  readonly code: string;
  readonly title: string;
  readonly level: IndustryLevel;
  readonly section: string;
  /** Words of names and of suppliers' categories, in many languages, that lead to it and fit. */
  readonly words: readonly string[];
}

const LEVELS: readonly IndustryLevel[] = ["class", "group", "division", "section"];

/**
 * Industries by their code, or by words that their titles or the words of the rules begin with; accents and case do not matter. Those
 * that a word of the rules leads to first, then classes before groups.
 */
export function searchIndustries(asked: string): IndustryFound[] {
  const needles = nameKey(asked)
    .split(" ")
    .filter((word) => word !== "");
  if (needles.length === 0) return [];
  const fits = (text: string) => {
    const words = text.split(" ");
    return needles.every((needle) => words.some((word) => word.startsWith(needle)));
  };
  const rules = Map.groupBy(
    [...new Map([...CATEGORY_CODES, ...loadKeywords()])].filter(([phrase]) => fits(phrase)),
    ([, code]) => code,
  );
  const isCode = /^([A-Z]|\d{2,4})$/i.test(asked.trim());
  return INDUSTRIES.filter(
    ({ code, title }) =>
      rules.has(code) || fits(nameKey(title)) || (isCode && code.startsWith(asked.trim().toUpperCase())),
  )
    .map(({ code, title, level, sectionTitle: section }) => ({
      ...{ code, title, level, section },
      words: (rules.get(code) ?? []).map(([phrase]) => phrase),
    }))
    .sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ words, level }: IndustryFound): number {
  return (words.length > 0 ? 0 : LEVELS.length) + LEVELS.indexOf(level);
}
