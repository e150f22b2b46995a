/** Small Latin letters with a stroke or ligature that Unicode does not decompose, marks that it leaves, and how people type them. */
export const LATIN_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ı: "i", // so that Turkish DIŞ, dış, DİŞ and diş are one name whatever the locale of the reader
  ł: "l",
  þ: "th",
  ...{ ʼ: "'", ʾ: "'", "′": "'", "‵": "'" }, // what "ŉ", "ẚ" and double primes decompose to
};
