/**
 * Text that was damaged on its way: characters that were replaced, escapes of other formats, and UTF-8 that was read as another encoding.
 * Such a name waits for review, because it would be published as it is. The patterns prefer missing a doubtful case to holding honest
 * names ("Irmã Ção", "CAFÉ’S", "Bed & Bath; Home"); docs/operations/review.md states what they find.
 */
import { isMisread } from "./misread-text.ts";

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
