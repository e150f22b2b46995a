/** A result of a web search. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly description: string; // an excerpt of the page
}

export type SearchAnswer =
  | { readonly kind: "results"; readonly results: readonly SearchResult[] }
  /** This one search has no answer that could be believed. */
  | { readonly kind: "failed"; readonly reason: string };

/** A search engine for programs. */
export interface SearchApi {
  readonly name: string;
  /** Throws ProviderUnavailable when it answers nothing any more tonight: a key that is not good, a quota used up, an outage. */
  search(query: string): Promise<SearchAnswer>;
}
