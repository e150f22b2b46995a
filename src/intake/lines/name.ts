import { z } from "zod";
import genericNames from "../../../data/generic-names.json" with { type: "json" };
import givenNames from "../../../data/given-names.json" with { type: "json" };
import noNames from "../../../data/no-names.json" with { type: "json" };
import { MAX_NAME_LENGTH } from "../../contract/limits.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import { nameKey, plainMarks } from "../../kernel/text/name-key.ts";
import { LineFault } from "./fault.ts";

/** Names on signs: cleaned for publication (`cleanName`), and separated from generic words (`isGenericName`). */

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

/**
 * Details of a person in the name on a sign: a telephone number, an email address, a number plate, or a personal form of address.
 * Such a name waits for review, because it would be published as it is. The patterns prefer missing a doubtful case to holding store
 * numbers and trade names ("7-Eleven #2366-24139C", "Mr. Sub"); docs/operations/review.md states what they find.
 */

export type PersonalDetail = "email_in_name" | "phone_in_name" | "plate_in_name" | "person_in_name";

const START = String.raw`(?<![\p{L}\p{N}#])`;
const END = String.raw`(?![\p{L}\p{N}])`;

const EMAIL = /[^\s@,;]+@[^\s@,;]+\.\p{L}{2,}|\S+\s?[[(]at[\])]\s?\S+\s?(?:\.|[[(]dot[\])])\s?\p{L}{2,}/iu;

// "#" and words such as "Store No." begin a number of a store, a unit or a license.
const NUMBERED = String.raw`#\s?|(?<![\p{L}\p{N}])(?:n[or]\.?|n[°º]|№|num|number|store|unit|suite|ste|loc|location|branch|site|kiosk|stand|id|lic|permit)[ .:#-]{0,2}`;
const FREE = `${START}(?<!${NUMBERED})`;
const PHONES = [
  // 519-555-0199, (519) 555 0199, 1.519.555.0199, 5195550199: neither the area nor the exchange begins with 0 or 1
  String.raw`${FREE}(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\)|[2-9]\d{2})[ ./-]{0,3}[2-9]\d{2}[ .-]?\d{4}${END}`,
  // 555-0199
  String.raw`(?<![\p{L}\p{N}#-])(?<!${NUMBERED})[2-9]\d{2}[.-]\d{4}(?![\p{L}\p{N}-])`,
  // +49 30 1234567, +44 (0)20 7946 0958; not "Fuel + 12345678"
  String.raw`\+(?=\d|\s\d{1,3}[ ()./-])\s?[1-9](?:[ ()./-]{0,3}\d){7,14}${END}`,
  // 020 7946 0958, 06 12 34 56 78, 030/1234567, 0049 30 1234567; not "02345 10", nor a store's "00123-45678"
  String.raw`${FREE}\(?0(?:0?[1-9](?=(?:\D{0,2}\d){8})|[1-9](?=\d{0,3}(?:\D{1,2}\d{2,4}){2})(?=(?:\D{0,2}\d){7}))\d{0,3}\)?(?:[ ./-]{1,2}\d{2,8}){1,5}${END}`,
  // Call 55501, Tel: 416.555.0100
  String.raw`${START}(?:call|tel|tél|tel[eé]fono|ph|fax|whatsapp|(?:text|phone|cell|mobile|ring)(?=[ .:#]{1,3}\+?\d(?:\D{0,2}\d){6}|[ ]?[.:]))[ .:#]{1,3}\+?\d(?:[ ()./-]{0,2}\d){4,14}${END}`,
].map((pattern) => new RegExp(pattern, "iu"));
const MIN_PHONE_DIGITS = 5;

const PLATES = [
  // California 8ABC123, Ontario ABCD123; with a space they look like "CAFE 300"
  String.raw`${START}\d[A-Z]{3}\d{3}${END}`,
  String.raw`${START}[A-Z]{4}-?\d{3}${END}`,
  // United Kingdom AB12 CDE, France AB-123-CD, Germany B-AB 1234
  String.raw`${START}[A-Z]{2}\d{2} ?[A-Z]{3}${END}`,
  String.raw`${START}[A-Z]{2}-\d{3}-[A-Z]{2}${END}`,
  String.raw`${START}[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}[EH]?${END}`,
].map((pattern) => new RegExp(pattern, "u"));
const NAMED_PLATE = new RegExp(
  String.raw`${START}(?:licen[cs]e(?: plate)?|plate|reg|registration|kennzeichen|immatriculation|matr[ií]cula)(?: ?(?:no|number|nr)\.?)?[ .:#]{1,3}(?=[\p{L}-]{0,5}[ -]?\d)[\p{L}\d]{1,4}(?:[ -]?[\p{L}\d]{1,4}){1,3}${END}`,
  "iu",
);

const TITLE = "mr|mrs|ms|miss|mx|mister|mme|mlle|madame|monsieur|herr|frau|señora?|senora?|sra?|dr|dra";
const PERSON = new RegExp(
  String.raw`${START}(?:${TITLE})(?:\. ?| )(?<first>\p{L}[\p{L}'’-]*)\.? (?:\p{L}\.? )?\p{L}[\p{L}'’-]+(?=$| ?[,;:|(/–—])`,
  "iu",
);
const LABELED = new RegExp(
  String.raw`${START}(?:driver|owner|operator|proprietor|manager|contact|attn|attention|conductor|chauffeur|fahrer|inhaber|propietario)s? ?[:=] ?\p{L}`,
  "iu",
);
const GIVEN_NAMES: ReadonlySet<string> = new Set(givenNames.names);

/** The first kind of detail that a cleaned name holds; undefined for none. */
export function personalDetail(name: string): PersonalDetail | undefined {
  const text = plainDigits(name);
  if (EMAIL.test(text)) return "email_in_name";
  if (hasPhone(text)) return "phone_in_name";
  if (NAMED_PLATE.test(text) || PLATES.some((plate) => plate.test(text))) return "plate_in_name";
  return namesPerson(text) ? "person_in_name" : undefined;
}

const KEYCAP = "\u20e3";

/** Full-width and other digits as ASCII ones, and keycaps; of other scripts only that they are digits matters. */
function plainDigits(name: string): string {
  return plainMarks(name)
    .normalize("NFKC")
    .replaceAll(KEYCAP, "")
    .replace(/(?![0-9])\p{Nd}/gu, "5");
}

function hasPhone(text: string): boolean {
  return PHONES.some((pattern) => (pattern.exec(text)?.[0].match(/\d/g) ?? []).length >= MIN_PHONE_DIGITS);
}

/** A title with a given name or an initial and a surname at the end; "Mr. Sub" and "Ms. Eva Steak and Sub" are trade names. */
function namesPerson(text: string): boolean {
  if (LABELED.test(text)) return true;
  const first = PERSON.exec(text)?.groups?.["first"]?.toLowerCase();
  return first !== undefined && (first.length === 1 || GIVEN_NAMES.has(first));
}

/**
 * Text that was damaged on its way: characters that were replaced, escapes of other formats, and UTF-8 that was read as another encoding.
 * Such a name waits for review, because it would be published as it is. The patterns prefer missing a doubtful case to holding honest
 * names ("Irmã Ção", "CAFÉ’S", "Bed & Bath; Home"); docs/operations/review.md states what they find.
 */

const PLAIN = /^[ !"#$'-<>@-[\]-~]*$/; // ASCII without the characters that begin an escape or stand for a lost letter

/** Control characters except white space, noncharacters, private use, and U+FFFD, which stands for what could not be read. */
const NO_TEXT = /[[\p{Cc}--[\t-\r]]\p{Noncharacter_Code_Point}\p{Co}\ufffd]/v;

const ENTITY_NAMES =
  "amp|lt|gt|quot|apos|nbsp|shy|zwn?j|[lr]rm|iexcl|iquest|cent|pound|yen|euro|sect|copy|reg|trade|deg|ord[mf]|middot|bull|hellip|" +
  "[lr][sd]quo|[bs]d?quo|[lr]s?aquo|prime|[nm]dash|(?:ae|oe|sz)lig|eth|thorn|times|plusmn|frac\\d\\d|sup[123]|acute|uml|cedil|" +
  "[a-z](?:ring|slash|caron)|#\\d{1,7}|#x[\\da-f]{1,6}";
const UTF8_ESCAPE = ["%", "="].map((sign) => String.raw`${sign}[c-f][\da-f]${sign}[89ab][\da-f]`).join("|");

const ESCAPES = new RegExp(
  String.raw`&(?:(?:${ENTITY_NAMES});|#\d{2,4}(?=\p{L})|[a-z](?:acute|grave|circ|uml|tilde|cedil))|\\(?:u[\da-f]{4}|x[\da-f]{2})|${UTF8_ESCAPE}|\p{L}%2[\da-f]\p{L}`,
  "iu",
);

/** A letter that became a question mark within a word: "Joe?s", "CAF¿S". */
const LOST_LETTER = /\p{L}[?¿¤](?:(?<=\p{Lu}.)\p{Lu}|\p{Ll})/u;

/** Misread UTF-8 that lost a half or stands between letters of Latin, and what code pages 437, 850 and GBK make of it. */
const REMAINS =
  /\p{Ll}[ÂÃ](?!\p{L})|[âв][€Ђ]|\p{sc=Latin}Г|Г.\p{sc=Latin}|Ì[€‚ƒˆ§]|[├┬]\S|ΓÇ|ÔÇ[^\p{L}]|锟斤/u;

const PATTERNS = [NO_TEXT, ESCAPES, LOST_LETTER, REMAINS];

/** Whether a name as it came in, before it is cleaned, is damaged. */
export function isDamaged(raw: string): boolean {
  return !PLAIN.test(raw) && (PATTERNS.some((pattern) => pattern.test(raw)) || isMisread(raw));
}

/**
 * UTF-8 that was read as an encoding of one byte a character: "CafÃ©", "Joeâ€™s", "CafГ©", "Caf√©". The characters are turned back into
 * bytes; where these are UTF-8 by no honest accident, the text was misread.
 */
const ENCODINGS = ["windows-1252", "windows-1250", "windows-1251", "macintosh"].map((encoding) => {
  const decoder = new TextDecoder(encoding);
  const bytes = Array.from({ length: 128 }, (_, at) => 128 + at);
  return { encoding, bytes: new Map(bytes.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte])) };
});

const MAY_BE_MISREAD = /[^\0-\x7f]{2}/;
// Latin letters, punctuation, emoji, kana, full width: one is enough.
const LIKELY =
  /[\xc2-\xc5][\x80-\xbf]|\xe1[\xb8-\xbb][\x80-\xbf]|\xe2[\x80-\x84][\x80-\xbf]|\xe3[\x80-\x83][\x80-\xbf]|\xef[\xbc-\xbf][\x80-\xbf]|\xf0\x9f[\x80-\xbf]{2}/g;
// Of other scripts, whose names have several. Between them and Latin lie phonetic signs: "É’" would be one.
const FOREIGN = /[\xce-\xdb][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}/g;
const PUNCTUATION = /^[‘’“”•–—…‹›™®©«»\u00a0]+$/;
const SURELY_MISREAD = /^Ã[©«®]|^.\u00a0[ -]/; // "é", "ë", "î", and "à" before a space or hyphen
const LETTERS = /^\p{L}+$/u;
const STARTS_WITH_LETTER = /^\p{L}/u;

/** Whether the text has characters of UTF-8 that were read as another encoding, once or more often. */
export function isMisread(text: string): boolean {
  if (!MAY_BE_MISREAD.test(text)) return false;
  return ENCODINGS.some(({ encoding, bytes }) => {
    const asBytes = text.replace(/[^\0-\x7f]/g, (character) =>
      String.fromCharCode(bytes.get(character) ?? 0x100),
    );
    const count = (pattern: RegExp) =>
      [...asBytes.matchAll(pattern)].filter(({ 0: { length }, index }) => {
        const end = index + length;
        return !isHonest(encoding, text.slice(0, index), text.slice(index, end), text.slice(end));
      }).length;
    return count(LIKELY) > 0 || count(FOREIGN) > 1;
  });
}

/** Whether the characters may stand there by themselves: letters of a word, or a letter and what closes a quotation or parts words. */
function isHonest(encoding: string, before: string, characters: string, after: string): boolean {
  const isWord = LETTERS.test(characters);
  const endsWord = STARTS_WITH_LETTER.test(characters) && PUNCTUATION.test(characters.slice(1));
  if (encoding === "windows-1251") return isWord || endsWord;
  if (/\p{Ll}$/u.test(before) && /^\p{Lu}/u.test(characters)) return false;
  if (isWord && encoding !== "windows-1252") return true; // there "ª" and "µ" are letters
  if (!endsWord || SURELY_MISREAD.test(characters + after)) return false;
  return !STARTS_WITH_LETTER.test(after) || (characters.endsWith("’") && /^s(?!\p{L})/iu.test(after));
}

/** The reason of a line whose name is near that of a record that opted out at the same place. */
export const NEAR_OPT_OUT = "near_opt_out";

/** Why a line waits for the review desk: by its name alone, and in all. */
export type NameHoldReason = "generic_name" | "damaged_name" | PersonalDetail;

export type HoldReason = typeof NEAR_OPT_OUT | NameHoldReason;

const details = new BoundedCache<string, PersonalDetail | "none">(50_000); // a day's lines repeat their names

/** The first reason that applies; undefined for a line that need not wait. `input` is the line as it came. */
export function nameHoldReason({ input, name, nameKey }: NamedLine): NameHoldReason | undefined {
  if (isDamaged(input.name)) return "damaged_name"; // as it came in: cleaning takes control characters away
  if (isGenericName(nameKey)) return "generic_name";
  const detail = details.take(name, () => personalDetail(name) ?? "none");
  return detail === "none" ? undefined : detail;
}

interface NamedLine {
  readonly input: { readonly name: string };
  readonly name: string;
  readonly nameKey: string;
}
