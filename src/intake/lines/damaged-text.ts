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
