import { parseCitationId } from "./citation-id.ts";

/** A quote as somebody pastes it: whatever they found in a text, with or without the address at its end. */

export const MAX_PASTED_QUOTE = 2000; // characters

/** What may be an id, wherever it stands; every part is bounded, so that a look at a text takes no longer than the text. */
const ID_LIKE = /[\w-]{1,80}\.\d{1,15}\.\d{1,15}\.\d{4}-\d{2}-\d{2}\.v\d{1,3}\.[0-9a-z]{8}(?![0-9a-z])/g;

/** The first id of a citation in a text; undefined when there is none. */
export function citationIdIn(text: string): string | undefined {
  return text.match(ID_LIKE)?.find((id) => parseCitationId(id) !== undefined);
}

/** The word of a text that holds the id, when it is neither the id alone nor an address of the citation below that page's site. */
export function otherAddressIn(text: string, id: string, citationUrl: string): string | undefined {
  const site = citationUrl.slice(0, citationUrl.lastIndexOf(`/cite/${id}`));
  const own = [`/cite/${id}`, `/api/v1/citation/${id}`].map((path) => hostAndPath(site + path));
  const words = text.split(/\s+/).filter((word) => word.includes(id));
  return words.map(bare).find((word) => word !== id && !own.includes(hostAndPath(word)));
}

/** A word without the brackets and stops that texts put around addresses. */
function bare(word: string): string {
  return word.replace(/^[^\w]+/, "").replace(/[^\w/]+$/, "");
}

function hostAndPath(url: string): string {
  return url
    .replace(/^https?:\/\//i, "")
    .replace(/#results$/, "")
    .replace(/\/$/, "");
}

/** A text in three parts, of which the middle one is what the other text does not have. */
export type Marked = readonly [before: string, differing: string, after: string];

export type WordComparison =
  | { readonly kind: "address_only" } // nothing but the address was pasted
  | { readonly kind: "same" }
  | { readonly kind: "more_around" } // our words, and others around them
  | { readonly kind: "differs"; readonly pasted: Marked; readonly published: Marked };

/** Compares a pasted text with the words of the citation it names. Addresses, quotation marks' shapes and white space do not count. */
export function comparePasted(pasted: string, sentence: string, id: string): WordComparison {
  const theirs = plain(withoutAddress(pasted, id));
  const ours = plain(sentence);
  if (theirs === "") return { kind: "address_only" };
  if (theirs === ours) return { kind: "same" };
  if (theirs.includes(ours)) return { kind: "more_around" };
  const [theirWords, ourWords] = [theirs.split(" "), ours.split(" ")];
  const before = commonLength(theirWords, ourWords);
  const after = commonLength(theirWords.slice(before).reverse(), ourWords.slice(before).reverse());
  return {
    kind: "differs",
    pasted: marked(theirWords, before, after),
    published: marked(ourWords, before, after),
  };
}

/** The address goes, with the brackets that texts put around addresses. What is written against it without a blank stays. */
function withoutAddress(text: string, id: string): string {
  return text
    .split(/\s+/)
    .map((word) => (word.includes(id) ? besideAddress(word, id) : word))
    .join(" ");
}

function besideAddress(word: string, id: string): string {
  const before = word.slice(0, word.indexOf(id));
  const scheme = /https?:\/\//.exec(before);
  return (scheme === null ? before : before.slice(0, scheme.index)).replace(/[([<]+$/, "");
}

function plain(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((word, index) => word !== b[index]);
  return at < 0 ? a.length : at;
}

function marked(words: readonly string[], before: number, after: number): Marked {
  const end = words.length - after;
  const part = (from: number, to: number) => words.slice(from, to).join(" ");
  return [part(0, before), part(before, end), part(end, words.length)];
}
