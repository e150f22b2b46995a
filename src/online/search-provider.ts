import type { OnlineProvider, OnlineSubject, Signal } from "./provider.ts";
import type { SearchApi } from "./search-api.ts";
import { nameMatches, phoneMatches } from "./search-matches.ts";

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
