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
