/** Selects the search results that are about the business. A search engine always returns something, mostly about others. */
import type { SignalType } from "../contract/enums.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import type { Finding, OnlineSubject, Signal } from "./provider.ts";
import type { SearchResult } from "./search-api.ts";
import { sharedHostType } from "./signals.ts";

type Test = (result: SearchResult, url: URL) => boolean;

/** Pages with all words of the name in the title, or the name in the host, and the city anywhere. */
export function nameMatches(subject: OnlineSubject, results: readonly SearchResult[]): Finding {
  const words = nameKey(subject.name).split(" ").filter(Boolean);
  const city = squeezed(subject.city);
  const inTitle = ({ title }: SearchResult) => {
    const titleWords = new Set(nameKey(title).split(" "));
    return words.every((word) => titleWords.has(word));
  };
  const isAbout: Test = (result, url) =>
    (inTitle(result) || squeezed(url.hostname).includes(words.join(""))) &&
    [result.title, result.description, decoded(url.pathname)].some((text) => squeezed(text).includes(city));
  return finding(subject, "name_search", words.length === 0 || city === "" ? [] : matching(results, isAbout));
}

/** Shorter sequences occur in too many numbers. */
const MIN_DIGITS = 7;

/** A page whose title or excerpt shows the number. */
export function phoneMatches(subject: OnlineSubject, results: readonly SearchResult[]): Finding {
  const digits = subject.phone?.digits ?? "";
  const isAbout: Test = ({ title, description }) =>
    numbersIn(`${title}\n${description}`).some((number) => number.endsWith(digits));
  return finding(subject, "phone_lookup", digits.length < MIN_DIGITS ? [] : matching(results, isAbout));
}

function matching(results: readonly SearchResult[], isAbout: Test): URL[] {
  return results.flatMap((result) => {
    const url = URL.parse(result.url);
    return url !== null && /^https?:$/.test(url.protocol) && isAbout(result, url) ? [url] : [];
  });
}

function finding(subject: OnlineSubject, signal: Signal, pages: readonly URL[]): Finding {
  if (pages.length === 0) return { signal, outcome: "absent", note: "no result is about it" };
  const types = new Set(pages.map((url) => typeOf(subject, url)));
  return { signal, outcome: "found", types: [...types], matches: pages.length };
}

/** A host of its own is the business's website when it is the published one or carries the whole name. */
function typeOf({ name, website }: OnlineSubject, url: URL): SignalType {
  const shared = sharedHostType(url);
  if (shared !== undefined) return shared;
  const isPublished = bareHost(URL.parse(website ?? "")) === bareHost(url);
  const key = nameKey(name).replaceAll(" ", "");
  return isPublished || (key !== "" && squeezed(url.hostname).includes(key)) ? "website" : "other";
}

function bareHost(url: URL | null): string | undefined {
  return url?.hostname.replace(/^www\./, "");
}

function squeezed(text: string): string {
  return nameKey(text.replaceAll(".", " ")).replaceAll(" ", "");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function numbersIn(text: string): string[] {
  return Array.from(text.matchAll(/\+?\(?\d[\d ().\-/\u00a0]{5,30}\d/g), ([number]) =>
    number.replace(/\D/g, ""),
  );
}
