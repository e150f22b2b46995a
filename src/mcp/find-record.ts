import type { EntitySummary } from "../contract/entity.ts";
import { MCP_LIMITS } from "../contract/limits.ts";
import type { Candidates, Match, MatchedBy } from "../contract/mcp/fields.ts";
import type { ReadContext } from "../resources/define.ts";
import { search } from "../resources/search.ts";

/** Where a name leads: to one record, to several that it may mean, or to none. Never to a guess. */
export type Found =
  | { readonly kind: "one"; readonly record: EntitySummary; readonly matchedBy: MatchedBy }
  | { readonly kind: "several"; readonly records: readonly EntitySummary[] }
  | { readonly kind: "none" };

/** What to do with several; some may even have the same name. */
export const ASK_AGAIN =
  "Ask again with the name of one of the candidates; those that share a name are told apart by record_url.";

/** A part of a name that is shorter says too little. */
const MIN_PART = 3;
/** Search does not compare these, or not in every script, so they make no part longer. */
const NO_LETTER = /[\p{M}\p{Cf}\p{Cc}\s]/gu;

/** The record of a name in a city (slug): by the exact name, then by the normalised name, then by a part that only one has. */
export function findRecord(context: ReadContext, city: string, name: string): Found {
  const same = named(context, { name, city, name_match: "same" });
  const exact = same.filter((record) => record.name === name.normalize("NFC"));
  if (exact.length > 0) return decided(exact, "exact_name");
  if (same.length > 0) return decided(same, "normalized_name");
  if ([...name.normalize("NFC").replace(NO_LETTER, "")].length < MIN_PART) return { kind: "none" };
  return decided(named(context, { name, city, name_match: "contains" }), "unique_substring");
}

/** One more than is shown, so that it is seen when there are more; exact names come first. */
function named(context: ReadContext, query: Readonly<Record<string, string>>): readonly EntitySummary[] {
  return search.read(context, {}, { ...query, limit: String(MCP_LIMITS.candidates + 1) }).results;
}

function decided(records: readonly EntitySummary[], matchedBy: MatchedBy): Found {
  const [record, ...others] = records;
  if (record === undefined) return { kind: "none" };
  return others.length === 0 ? { kind: "one", record, matchedBy } : { kind: "several", records };
}

export function matchOf(record: EntitySummary, matchedBy: MatchedBy): Match {
  const { public_id, name, city, record_type, record_url, identity_hierarchy } = record;
  return { public_id, name, city, record_type, record_url, matched_by: matchedBy, identity_hierarchy };
}

export function candidatesOf(records: readonly EntitySummary[]): Candidates {
  return records
    .slice(0, MCP_LIMITS.candidates)
    .map(({ public_id, name, city, record_url }) => ({ public_id, name, city, record_url }));
}
