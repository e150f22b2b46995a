import { nameKey } from "../../kernel/text/name-key.ts";
import { slipsBetween } from "../../kernel/text/slips.ts";

/** How much alike two names look, word by word, whatever the order of the words. */

/** Articles, "and", a few fillers, and prepositions such as "of" and "in", in a dozen languages. */
const SMALL_WORDS = new Set(
  (
    "the a an any best and of at in on by near for with en con per por para em im am zu zum zur bei mit chez pour med vid el la los las lo un una unos unas y e de del il i gli le uno les l des du et d der die das den dem ein eine und von " +
    "het een en van o os as um uma do da dos das det ett och og av af als i ja az na и ال و η το οι τα ο και"
  ).split(" "),
);
/** French, Italian and Catalan articles that an apostrophe joins to the next word. */
const ELISION = /(?<![\p{L}\p{M}\p{N}])(?:[cdjlmnst]|qu|dell|all|nell|sull|un)'(?=\p{L})/gu;
const ARABIC_ARTICLE = /^ال(?=\p{L}{3})/u;
const POSSESSIVE = /'s(?!\p{L})/gu;
/** Each character of Han script says as much as a word. */
const WORDS = /\p{Script=Han}|[\S--\p{Script=Han}]+/gv;

/** The longest word that is compared; of a longer one, its beginning. */
const MAX_WORD = 24;
const MAX_WORDS = 16;

/** The words of a folded name, without punctuation, legal forms and articles; with them where there is nothing else. */
export function wordsOf(folded: string): readonly string[] {
  const words =
    nameKey(folded.replace(ELISION, "").replace(POSSESSIVE, "")).normalize("NFD").match(WORDS) ?? [];
  const significant = words.filter((word) => !SMALL_WORDS.has(word));
  return (significant.length > 0 ? significant : words)
    .slice(0, MAX_WORDS)
    .map((word) => word.replace(ARABIC_ARTICLE, "").slice(0, MAX_WORD));
}

/** A word of a query, and how much it counts. */
export interface Wanted {
  readonly word: string;
  readonly weight: number;
}

/** Compares names with one query. Remembers words, because names share them. */
export class Likeness {
  readonly #wanted: readonly Wanted[];
  readonly #joined: string;
  readonly #total: number;
  readonly #known = new Map<string, readonly number[]>();

  constructor(wanted: readonly Wanted[]) {
    this.#wanted = wanted;
    this.#joined = wanted.map(({ word }) => word).join("");
    this.#total = wanted.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** From 0 to 1: of the same words in any order, and of the same letters with other spaces. */
  of(folded: string): number {
    const words = wordsOf(folded);
    if (words.length === 0) return 0;
    const byWord = this.#byWord(words);
    return byWord >= SURE ? byWord : Math.max(byWord, lettersAlike(this.#joined, words.join("")));
  }

  /** How much of the query the name has or, for a query of more words than the name, how much each has of the other. */
  #byWord(words: readonly string[]): number {
    const alike = words.map((word) => this.#wordAlike(word));
    const used = alike.reduce((sum, row) => sum + Math.max(...row), 0);
    const had = this.#wanted.reduce(
      (sum, { weight }, at) => sum + weight * Math.max(...alike.map((row) => row[at] ?? 0)),
      0,
    );
    const [ofQuery, ofName] = [had / this.#total, used / words.length];
    return Math.max(0.95 * ofQuery + 0.05 * ofName, (ofQuery + ofName) / 2);
  }

  /** How much the word of the query at `at` looks like any word of a name. */
  ofWord(at: number, folded: string): number {
    return wordsOf(folded).reduce((most, word) => Math.max(most, this.#wordAlike(word)[at] ?? 0), 0);
  }

  #wordAlike(word: string): readonly number[] {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const alike = this.#wanted.map(({ word: wanted }) => wordsAlike(wanted, word));
    this.#known.set(word, alike);
    return alike;
  }
}

/** Of a word and its plural or possessive. */
const PLURAL = 0.95;
/** Of a word that another begins with. */
const START = 0.75;
/** Names so alike by words need no comparison by letters. */
const SURE = 0.9;

/** From 0 to 1: for slips of the keyboard, and for words of one stem or that contain one another. */
export function wordsAlike(one: string, other: string): number {
  if (one === other) return 1;
  if (isPlural(one, other) || isPlural(other, one)) return PLURAL;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (/^\p{N}+$/u.test(one) && /^\p{N}+$/u.test(other)) return 0; // another number is another branch
  const isStart = short.length >= 3 && long.startsWith(short);
  const holds = short.length >= 5 && long.includes(short) ? short.length / long.length : 0;
  const stem = commonStart(one, other) / long.length;
  return Math.max(
    isStart ? START : 0,
    holds,
    stem >= 0.6 ? stem : 0,
    slipsAlike(one, other, slipsAllowed(long.length)),
  );
}

function isPlural(one: string, other: string): boolean {
  return other === `${one}s` || (one.endsWith("y") && other === `${one.slice(0, -1)}ies`);
}

function slipsAllowed(length: number): number {
  return length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor((length - 1) / 3)));
}

function slipsAlike(one: string, other: string, most: number): number {
  const slips = slipsBetween(one, other, most);
  return slips > most ? 0 : 1 - slips / Math.max(one.length, other.length);
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

const MAX_LETTERS = 64;

/** A slip for every four letters, as between "Smørre-Brød" and "smorrebrod". */
function lettersAlike(one: string, other: string): number {
  const [a, b] = [one.slice(0, MAX_LETTERS), other.slice(0, MAX_LETTERS)];
  return slipsAlike(a, b, Math.floor(Math.max(a.length, b.length) / 4));
}
