/** Compares pasted quotes, with or without the URL at the end, with published citations. */

import { parseCitationId } from "./citation-id.ts";

export const MAX_PASTED_QUOTE = 2000; // characters

// Matches an id anywhere in a text. Every part is bounded, so the match takes time linear in the text.
const ID_LIKE = /[\w-]{1,80}\.\d{1,15}\.\d{1,15}\.\d{4}-\d{2}-\d{2}\.v\d{1,3}\.[0-9a-z]{8}(?![0-9a-z])/g;

/** Returns the first citation id in a text, or undefined. */
export function citationIdIn(text: string): string | undefined {
  return text.match(ID_LIKE)?.find((id) => parseCitationId(id) !== undefined);
}

/** Returns the word that contains the id, unless it is the bare id or a citation URL of this site. */
export function otherAddressIn(text: string, id: string, citationUrl: string): string | undefined {
  const site = citationUrl.slice(0, citationUrl.lastIndexOf(`/cite/${id}`));
  const own = [`/cite/${id}`, `/api/v1/citation/${id}`].map((path) => hostAndPath(site + path));
  const words = text.split(/\s+/).filter((word) => word.includes(id));
  return words.map(bare).find((word) => word !== id && !own.includes(hostAndPath(word)));
}

/** Strips the brackets and punctuation that often surround a URL. */
function bare(word: string): string {
  return word.replace(/^[^\w]+/, "").replace(/[^\w/]+$/, "");
}

function hostAndPath(url: string): string {
  return url
    .replace(/^https?:\/\//i, "")
    .replace(/#results$/, "")
    .replace(/\/$/, "");
}

/** A text in three parts; only the middle part differs from the other text. */
export type Marked = readonly [before: string, differing: string, after: string];

export type WordComparison =
  | { readonly kind: "address_only" } // only the URL was pasted
  | { readonly kind: "same" }
  | { readonly kind: "more_around" } // the citation with other text around it
  | { readonly kind: "differs"; readonly pasted: Marked; readonly published: Marked };

/** Compares a pasted text with the citation it names. Ignores URLs, quotation mark shapes and white space. */
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

/** Removes the URL and the brackets around it. Text attached without a space stays. */
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
