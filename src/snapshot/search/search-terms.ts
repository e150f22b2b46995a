import type { OnlinePresence } from "../../contract/enums.ts";
import { LATIN_LETTERS, plainMarks } from "../../kernel/text/name-key.ts";

/** Letters and marks that Unicode does not decompose -> what people type for them. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LATIN_LETTERS),
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ς", "σ"],
  ["“", '"'],
  ["”", '"'],
  ["‐", "-"],
  ["–", "-"],
  ["—", "-"],
]);

const SPECIAL = new RegExp(`[${[...PLAIN_LETTERS.keys()].join("")}]`, "g");

// Accents and vowel points only. Vowel signs of Indic scripts and the Japanese voicing marks are letters to their readers.
const ACCENTS =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]/gv;

/** Matches most names; nothing in them decomposes, is invisible or has an alternative spelling. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * The form of a name that search compares: without case, accents, invisible characters and repeated or outer spaces.
 * Names and needles go through the same function, so the index never depends on a tokenizer's idea of letters.
 */
export function foldName(text: string): string {
  if (PRINTABLE_ASCII.test(text))
    return text.toLowerCase().replaceAll("`", "'").replace(/ {2,}/g, " ").trim();
  return plainMarks(text.toWellFormed().replaceAll("\u200b", ""))
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(SPECIAL, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .normalize("NFC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** Terms of the search index. Grams have 1 to 3 characters and facets at least 6, so they share one namespace. */

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
