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

/** A search engine for programs. */
export interface SearchApi {
  readonly name: string;
  /** Throws ProviderUnavailable when it cannot answer any further request tonight: an invalid key, a used-up quota, an outage. */
  search(query: string): Promise<SearchAnswer>;
}
