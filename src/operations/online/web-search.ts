import { z } from "zod";
import type { SignalType } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { beginningOf, fetchFailure } from "../../kernel/public-fetch.ts";
import type { Secret } from "../../kernel/secret.ts";
import { parseUntrustedJson } from "../../kernel/text/json.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import {
  type Finding,
  type OnlineProvider,
  type OnlineSubject,
  ProviderUnavailable,
  type Signal,
  sharedHostType,
} from "./run-checks.ts";
import { HostTurns } from "./website-probe.ts";

/** A result of a web search. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly description: string; // an excerpt of the page
}

export type SearchAnswer =
  | { readonly kind: "results"; readonly results: readonly SearchResult[] }
  /** The answer to this search is not usable. */
  | { readonly kind: "failed"; readonly reason: string };

/** A search engine for programs. It always returns something, mostly about others. */
export interface SearchApi {
  readonly name: string;
  /** Throws ProviderUnavailable when it cannot answer any further request tonight: an invalid key, a used-up quota, an outage. */
  search(query: string): Promise<SearchAnswer>;
}

/** The web search of Brave, as its reference describes it: https://api-dashboard.search.brave.com/api-reference/web/search/get */
export const BRAVE_SEARCH_URL = "https://api.search.brave.com/res/v1/web/search";

export interface BraveOptions {
  readonly url: string;
  readonly key: Secret;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly pause: () => Promise<void>; // between two searches: the plans allow so many in a second
}

const MAX_QUERY = 400; // characters, of the reference
const MAX_RESULTS = 20; // of the reference
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Without `web` there are no results; without `type` it is not an answer of this interface. */
const Answer = z.object({
  type: z.literal("search"),
  web: z
    .object({
      results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().optional() })),
    })
    .nullish(),
});

export function braveSearch(options: BraveOptions): SearchApi {
  const turns = new HostTurns(options.pause);
  return {
    name: "brave_search",
    search: (query) => turns.take("", () => ask(options, query)),
  };
}

async function ask({ url, key, userAgent, timeoutMs }: BraveOptions, query: string): Promise<SearchAnswer> {
  const address = new URL(url);
  address.search = new URLSearchParams({
    q: query.slice(0, MAX_QUERY),
    count: String(MAX_RESULTS),
    result_filter: "web",
    text_decorations: "false",
    spellcheck: "false",
  }).toString();
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      redirect: "error", // the key must not reach another host
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: "application/json", "x-subscription-token": key.reveal(), "user-agent": userAgent },
    });
    text = (await beginningOf(response, MAX_ANSWER_BYTES)).toString("utf8");
  } catch (error) {
    throw new ProviderUnavailable(`the search API could not be asked: ${fetchFailure(error)}`);
  }
  if (response.status !== 200) throw unavailable(response.status);
  return believed(text);
}

function unavailable(status: number): ProviderUnavailable {
  const why = WHY[status] ?? (status >= 500 ? "it is out of order" : "it refuses the request");
  return new ProviderUnavailable(`the search API answered ${status}: ${why}`);
}

const WHY: Readonly<Record<number, string>> = {
  401: "the key is not valid: see SEARCH_API_KEY",
  403: "the key is not valid: see SEARCH_API_KEY",
  422: "the key or the plan is not valid: see SEARCH_API_KEY",
  429: "the quota of the plan is used up",
};

function believed(text: string): SearchAnswer {
  try {
    const { web } = Answer.parse(parseUntrustedJson(text));
    const results = web?.results ?? [];
    return {
      kind: "results",
      results: results.map(({ title, url, description = "" }) => ({ title, url, description })),
    };
  } catch {
    return { kind: "failed", reason: "the search API did not answer in its own form" };
  }
}

/** Query -> its results. */
const Answers = z.record(
  z.string(),
  z.array(z.strictObject({ title: z.string(), url: z.string(), description: z.string() })),
);

/**
 * Searches with answers from a file: for tests, and where no network is. A query that is not in it has no results. Throws OperatorError for
 * a text that is no such file; `name` says which.
 */
export function fileSearch(text: string, name: string): SearchApi {
  const answers = new Map(Object.entries(parse(text, name)));
  return {
    name: "file",
    search: async (query) => ({ kind: "results", results: answers.get(query) ?? [] }),
  };
}

function parse(text: string, name: string): z.infer<typeof Answers> {
  try {
    return Answers.parse(JSON.parse(text));
  } catch (cause) {
    throw new OperatorError(
      `${name}: expected a JSON object of queries, each with a list of results (title, url, description)`,
      { cause },
    );
  }
}

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

/** Name and city, and the telephone number where the operator allows that it is sent to the search engine. */
export function searchProvider(api: SearchApi, options: { readonly phones: boolean }): OnlineProvider {
  return {
    name: api.name,
    signals: options.phones ? ["name_search", "phone_lookup"] : ["name_search"],
    async check(subject, signal) {
      const answer = await api.search(queryFor(subject, signal));
      if (answer.kind === "failed") return { signal, outcome: "failed", note: answer.reason };
      const matches = signal === "phone_lookup" ? phoneMatches : nameMatches;
      return matches(subject, answer.results);
    },
  };
}

/** Quotation marks ask for the words as they stand; those of the name itself would end them. */
export function queryFor({ name, city, phone }: OnlineSubject, signal: Signal): string {
  const text = signal === "phone_lookup" ? (phone?.number ?? "") : name;
  const quoted = `"${text.replaceAll('"', " ").trim()}"`;
  return signal === "phone_lookup" ? quoted : `${quoted} ${city}`;
}
