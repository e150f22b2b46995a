/** Terms of the search index. Grams have 1 to 3 characters and facets at least 6, so they share one namespace. */
import type { OnlinePresence } from "../../contract/enums.ts";

export const GRAM_LENGTH = 3;

/** The grams of every name that contains this folded needle. `exact`: every name with these grams contains the needle. */
export function needleGrams(needle: string): { readonly grams: readonly string[]; readonly exact: boolean } {
  const characters = [...needle];
  if (characters.length === 0) return { grams: [], exact: true };
  if (characters.length <= GRAM_LENGTH) return { grams: [needle], exact: true };
  const starts = characters.slice(0, 1 - GRAM_LENGTH);
  const grams = starts.map((_, index) => characters.slice(index, index + GRAM_LENGTH).join(""));
  return { grams: [...new Set(grams)], exact: false };
}

/** The key of an exact name. A `nameKey` contains no "=", so both kinds of key share one table. */
export function exactName(name: string): string {
  return `=${name.normalize("NFC").trim()}`;
}

export function cityTerm(slug: string): string {
  return `city:${slug}`;
}

export function industryTerm(code: string): string {
  return `industry:${code}`;
}

/** The key of a website (a `lookUpKey` of `readWebsite`). No exact name begins with it, and no `nameKey` contains a "=". */
export function websiteKey(lookUpKey: string): string {
  return `website=${lookUpKey}`;
}

/** `cell`: a map cell of resolution `NEAR.resolution`. */
export function nearTerm(cell: string): string {
  return `near:${cell}`;
}

export function onlineTerm(verdict: OnlinePresence): string {
  return `online:${verdict}`;
}
