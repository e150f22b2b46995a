import file from "../../../data/category-words.json" with { type: "json" };
import { nameKey } from "../../kernel/text/name-key.ts";

/** Word, as it is compared -> code. */
export const CATEGORY_CODES: ReadonlyMap<string, string> = new Map(
  Object.entries(file.codes).flatMap(([code, words]) => words.map((word) => [nameKey(word), code] as const)),
);

/** The ISIC code of a supplier's category: by the whole of it, else by the first of its words or parts that is known. */
export function categoryIndustry(category: string): string | undefined {
  const parts = [category, ...category.split(/[:/,;&()-]+/), ...category.split(/\s+/)];
  return parts.map((part) => CATEGORY_CODES.get(nameKey(part))).find((code) => code !== undefined);
}
