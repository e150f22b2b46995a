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

/**
 * Marks that people type for an apostrophe: quotes and primes, accents without a letter, modifier letters (okina, hamza, saltillo), and
 * the geresh of Hebrew. Unicode takes some of them for letters, and others for a space with an accent.
 */
const APOSTROPHES = /[`´‘’‛ʹʻ-ʿˈˊˋ˴\u0374\u0384՚׳ߴߵ\u1fbd\u1fbf\u1fef\u1ffd\u1ffe′‵❛❜Ꞌꞌ＇｀]/g;
// Joiners and variation selectors among them: they change how a name looks, not which name it is. The zero-width space parts words.
const INVISIBLE = /[[\p{Cf}\p{Default_Ignorable_Code_Point}]--\u200b]/gv;
const MAY_HAVE_EITHER = /[`\u00ad´\u02b0-\uffff]/; // most accented names have neither

/** The text with one apostrophe for all marks that stand for it, and without what shows nothing. Comes before any normalization. */
export function plainMarks(text: string): string {
  return MAY_HAVE_EITHER.test(text) ? text.replace(INVISIBLE, "").replace(APOSTROPHES, "'") : text;
}

const LEGAL_FORMS = new Set(
  (
    "inc incorporated llc llp lp ltd limited ltee ltda co corp corporation plc pllc pc gmbh mbh ag kg kgaa ohg ug ev " +
    "sa sas sasu sarl eurl snc sl slu srl spa sapi bv nv bvba vof oy oyj ab as aps asa pty pte pvt kft zrt sro doo ooo zao cv"
  ).split(" "),
);
const NUMBER_WORDS = new Set(
  "store no num number nr unit stand location branch suc sucursal filiale".split(" "),
);
const DANGLING = new Set(["and", "de"]); // what "& Co." and "S.A. de C.V." leave behind

const ASCII_ONLY = /^[^\x80-\u{10ffff}]*$/u;
const ACCENTS = /[\u0300-\u036f]/g;
const FOLDED: Readonly<Record<string, string>> = {
  ...LATIN_LETTERS,
  ς: "σ",
};
const UNFOLDED = new RegExp(`[${Object.keys(FOLDED).join("")}]`, "g");
const TRADEMARKS = /[™℠]/g; // Unicode makes letters of them
const ASCII_APOSTROPHES = /['`]/g;
const INITIAL_DOT = /(?<=(?:^|[^\p{L}\p{N}])\p{L})\./gu; // "S.A." and "L.L.C.", not "St."
const HASH_NUMBER =
  /(?:(?<![\p{L}\p{N}])(?:store|unit|stand|location|branch)\s*)?#\s*\p{L}?\d+\p{L}?(?![\p{L}\p{N}])/giu;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const AND = /[&+]/g;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;
const ASCII_SEPARATORS = /[^a-z0-9]+/g;
const DIGITS = /^\d+$/;

/**
 * The version of `nameKey`, which each ledger holds. Opt-outs keep nothing of a name but hashes of its key: a program with other keys
 * would publish what they forbid. Raise it with every change of a key; a test compares the keys of `fixtures/name-keys.json`.
 */
export const NAME_KEY_VERSION = 1;

/**
 * The common key of a name's spellings: without case, accents, punctuation, store numbers, legal forms and a leading "the", with "and" for "&" and one
 * space between words. Empty for names such as "#12" and "---".
 */
export function nameKey(name: string): string {
  const folded = fold(name);
  const ascii = ASCII_ONLY.test(folded);
  let text = folded.includes("#") ? folded.replace(HASH_NUMBER, " ") : folded;
  if (text.includes(".")) text = text.replace(INITIAL_DOT, "");
  text = text.replace(ASCII_APOSTROPHES, "").replace(AND, " and ");
  // What an apostrophe or a dot parted may be one letter without it.
  text = ascii ? text.replace(ASCII_SEPARATORS, " ") : text.normalize("NFC").replace(SEPARATORS, " ");
  return significantWords(text.trim());
}

/** A name without the numbers of stores that its key lacks, too: "Subway No. 12" is "Subway". Anything else stays. */
export function withoutStoreNumbers(name: string): string {
  const text = name.replace(HASH_NUMBER, " ");
  const found = [...text.matchAll(WORDS)]
    .map(({ 0: word, index }) => ({ word: fold(word), index }))
    .filter(({ word }) => word !== "");
  const words = found.map(({ word }) => word);
  for (let tail = tailLength(words); words.length > tail && tail > 0; tail = tailLength(words)) {
    const number = words.at(-1) ?? "";
    words.length -= tail;
    if (!DIGITS.test(number)) continue; // a legal form stays, and what is before it is looked at
    const [from, to] = [found[words.length]?.index ?? 0, found[words.length + tail]?.index ?? text.length];
    return withoutStoreNumbers(`${text.slice(0, from)} ${text.slice(to)}`);
  }
  return text;
}

function fold(name: string): string {
  const lower = name.toLowerCase();
  if (ASCII_ONLY.test(lower)) return lower;
  // Removes accents of Latin, Greek and Cyrillic only: in other scripts the marks are vowels.
  const bare = plainMarks(lower)
    .replace(TRADEMARKS, " ")
    .normalize("NFKD")
    .toLowerCase()
    .replace(ACCENTS, "")
    .normalize("NFC");
  return bare.replace(UNFOLDED, (letter) => FOLDED[letter] ?? letter);
}

function significantWords(text: string): string {
  const words = text.split(" ");
  while (words.length > 1) {
    const tail = tailLength(words);
    if (tail === 0) break;
    words.length -= tail;
  }
  const start = words.findIndex((word) => word !== "the");
  return words.slice(Math.max(start, 0)).join(" ");
}

/** The number of words at the end that do not belong to the name: a legal form, a numbered store, a dangling "and". */
function tailLength(words: readonly string[]): number {
  const last = words.at(-1) ?? "";
  if (LEGAL_FORMS.has(last) || DANGLING.has(last)) return 1;
  if (!DIGITS.test(last)) return 0;
  if (NUMBER_WORDS.has(words.at(-2) ?? "")) return 2;
  return last.startsWith("0") ? 1 : 0;
}
