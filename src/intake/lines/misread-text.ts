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
