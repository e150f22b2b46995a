/**
 * Near names: one has all words of the other, in any order, each at most misspelled, or one is at most a misspelling of the other
 * when both are written as one word. Two words are a misspelling of each other when leaving out one letter, in one of them or in
 * both, makes them equal; words of up to three letters must be equal. The sets of what is left can be compared as keyed hashes, so an
 * opted-out name is never stored. Pure.
 */
import type { KeyedHash } from "../matching/keyed-hash.ts";

/** Shorter words are equal or different: at three letters one letter makes another name. */
const MIN_MISSPELLED_LETTERS = 4;
const FILLERS: ReadonlySet<string> = new Set(["and"]);
/** Stands for all words of a name written as one. */
export const JOINED = -1;

export interface NameWord {
  readonly word: number;
  readonly key: string; // hexadecimal
}

/** The hashed spellings of each word of a name key, and of the words written as one. */
export function nameWords(nameKey: string, hash: KeyedHash): NameWord[] {
  const words = wordsOf(nameKey);
  const keyed = (text: string, word: number) =>
    spellings(text).map((spelling) => ({ word, key: hash(spelling) }));
  return [...words.flatMap(keyed), ...keyed(words.join(""), JOINED)];
}

/** Whether two name keys are near. */
export function areNearNames(one: string, other: string): boolean {
  const plain = (spelling: string) => spelling;
  return areNear(nameWords(one, plain), nameWords(other, plain));
}

/** Whether two names are near, given the hashed spellings of both under one hash. */
export function areNear(one: readonly NameWord[], other: readonly NameWord[]): boolean {
  const [first, second] = [byKey(one), byKey(other)];
  return covers(first, other) || covers(second, one);
}

type Words = ReadonlyMap<string, ReadonlySet<number>>;

function byKey(words: readonly NameWord[]): Words {
  const keys = new Map<string, Set<number>>();
  for (const { word, key } of words) keys.set(key, (keys.get(key) ?? new Set()).add(word));
  return keys;
}

/** Whether each word of a name has a spelling among those of another name's words, or the joined words do. */
function covers(known: Words, name: readonly NameWord[]): boolean {
  const found = new Set(name.filter(({ word, key }) => isKnown(known, word, key)).map(({ word }) => word));
  if (found.has(JOINED)) return true;
  const all = new Set(name.map(({ word }) => word).filter((word) => word !== JOINED));
  return all.size > 0 && [...all].every((word) => found.has(word));
}

/** Words compare with words, joined names with joined names. */
function isKnown(known: Words, word: number, key: string): boolean {
  const words = known.get(key);
  if (words === undefined) return false;
  return word === JOINED ? words.has(JOINED) : [...words].some((each) => each !== JOINED);
}

function wordsOf(nameKey: string): string[] {
  const words = nameKey.split(" ").filter((word) => word !== "");
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

/** The word itself, and it without each one of its letters. */
function spellings(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length < MIN_MISSPELLED_LETTERS) return [word];
  return [...new Set([word, ...letters.map((_, at) => letters.toSpliced(at, 1).join(""))])];
}
