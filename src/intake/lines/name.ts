/** Names on signs: cleaned for publication (`cleanName`), and separated from generic words (`isGenericName`). */
import { z } from "zod";
import genericNames from "../../../data/generic-names.json" with { type: "json" };
import noNames from "../../../data/no-names.json" with { type: "json" };
import { MAX_NAME_LENGTH } from "../../contract/limits.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { LineFault } from "./fault.ts";

type NameProblem = "empty_name" | "name_too_long";
export type CleanName = { readonly name: string } | { readonly reason: NameProblem };

const PLAIN_ASCII = /^[\x20-\x7e]*$/;
const UNTIDY_SPACE = /^ | $| {2}/;
// What shapes the characters around it: joiners, variation selectors, tags of flags, the vowel separator of Mongolian.
const SHAPERS = String.raw`\u200c\u200d\u180e\p{Variation_Selector}\u{e0020}-\u{e007f}`;
// Control, bidi, zero-width and other invisible characters, and halves of surrogate pairs (canonical JSON refuses them).
const INVISIBLE = new RegExp(
  String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]--[${SHAPERS}]]`,
  "gv",
);
const HAS_SHAPERS = new RegExp(`[${SHAPERS}]`, "v");
const REPEATED_JOINERS = /([\u200c\u200d])[\u200c\u200d]+/g;
// Tags stay in flags only, and one selector at a time, because more of them can hide a text from people.
const FLAG = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`;
const EMOJI = String.raw`(?:${FLAG}|\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?)`;
const MARK = String.raw`[\p{M}--\p{Variation_Selector}]`;
const SIGN = String.raw`[${MARK}--\p{sc=Inherited}]`; // of an Indic script, such as a vowel
const SHAPED = [
  String.raw`${EMOJI}(?:\u200d${EMOJI})*`,
  String.raw`[0-9#*]\ufe0f?\u20e3`, // keycaps
  String.raw`[[\p{L}\p{N}\p{P}\p{S}]--[\p{sc=Latin}\p{Emoji}\x00-\x7f]]\p{Variation_Selector}`,
  String.raw`(?<=[\p{L}${MARK}])[\u200c\u200d](?=\p{L}|${MARK}*${SIGN})`,
  String.raw`(?<=${SIGN}${MARK}*)[\u200c\u200d]`, // at the end of a word, as in Malayalam
  String.raw`(?<=[\p{L}&&\p{sc=Mongolian}])\u180e(?=[\p{L}&&\p{sc=Mongolian}])`,
];
const SHAPED_OR_STRAY = new RegExp(`(${SHAPED.join("|")})|[${SHAPERS}]`, "gv");
const SPACE = /[\t-\r\x85\p{Z}]+/gu;
const CLEANABLE_LENGTH = 20 * MAX_NAME_LENGTH; // a longer input is refused unread

/**
 * A name in NFC, runs of white space as one space, without invisible characters except those that shape letters and emoji; at most 120
 * characters (design 6).
 */
export function cleanName(raw: string): CleanName {
  if (raw.length > CLEANABLE_LENGTH) return { reason: "name_too_long" };
  const name = PLAIN_ASCII.test(raw) && !UNTIDY_SPACE.test(raw) ? raw : tidy(raw);
  if (name === "") return { reason: "empty_name" };
  if (name.length > MAX_NAME_LENGTH && Array.from(name).length > MAX_NAME_LENGTH)
    return { reason: "name_too_long" };
  return { name };
}

/** The cleaned name. Throws LineFault. */
export function checkedName(raw: string): string {
  const cleaned = cleanName(raw);
  if ("name" in cleaned) {
    if (standsForNoName(cleaned.name))
      throw new LineFault("empty_name", "name", 'stands for no name, as "N/A" does');
    return cleaned.name;
  }
  throw new LineFault(
    cleaned.reason,
    "name",
    cleaned.reason === "empty_name"
      ? "has no visible character"
      : `is longer than ${MAX_NAME_LENGTH} characters`,
  );
}

function tidy(raw: string): string {
  // NFC last: taking an invisible character away can bring a letter and its accent together.
  const text = raw.replace(SPACE, " ").replace(INVISIBLE, "");
  const shaped = HAS_SHAPERS.test(text)
    ? text.replace(REPEATED_JOINERS, "$1").replace(SHAPED_OR_STRAY, "$1")
    : text;
  return shaped.replace(SPACE, " ").trim().normalize("NFC");
}

const ListFile = z.record(z.string(), z.array(z.string()));
const listed = (file: unknown) => Object.values(ListFile.parse(file)).flat();

const NO_WORD = /^[\p{P}\p{Z}\p{Sm}\p{Sk}]*$/u;
const ACCENTS = /\p{M}/gu;
const GAPS = /[\s_'"\u2010-\u2015-]+/g;
const ENCLOSING = /^[.*([{<]+|[.*)\]}>]+$/g;
const closedUp = (name: string) =>
  (PLAIN_ASCII.test(name) ? name : name.normalize("NFKD").replace(ACCENTS, ""))
    .toLowerCase()
    .replace(GAPS, "")
    .replaceAll("\\", "/");
const NUMBER = /\s*#\s*\d+$/;
const TWICE = /^(.{2,}?)(?:[\s,;|-]+\1)+$/i; // "null null": first and last name, or two columns
const noNameTexts = new Set(listed(noNames).map(closedUp));
const LONGEST_NO_NAME = Math.max(...[...noNameTexts].map((text) => text.length)) + 5; // with its gaps

/** Whether a name is what spreadsheets, programs and people write where there is none: "#N/A", "null", "Sans nom", "-". */
export function standsForNoName(name: string): boolean {
  if (name.length > LONGEST_NO_NAME) return false;
  const text = closedUp(name.replace(NUMBER, "").replace(TWICE, "$1"));
  return noNameTexts.has(text) || noNameTexts.has(text.replace(ENCLOSING, "")) || NO_WORD.test(name);
}

const DIGITS = /^\d+$/;
const genericKeys = new Set(listed(genericNames).map(nameKey));

/** Whether a key names no business: a word such as "open" or "restaurant", a bare number, or nothing (design 6). */
export function isGenericName(key: string): boolean {
  return key === "" || DIGITS.test(key) || genericKeys.has(key);
}
