import { z } from "zod";
import { beginningOf, fetchFailure } from "../kernel/public-fetch.ts";
import type { Secret } from "../kernel/secret.ts";
import { parseUntrustedJson } from "../kernel/text/untrusted-json.ts";
import { ProviderUnavailable } from "./provider.ts";
import type { SearchAnswer, SearchApi } from "./search-api.ts";
import { HostTurns } from "./web-reader.ts";

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
