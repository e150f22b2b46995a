import type { EntitySummary } from "../contract/entity.ts";
import { MCP_LIMITS } from "../contract/limits.ts";
import type { Candidates, Match, MatchedBy } from "../contract/mcp/fields.ts";
import type { ReadContext } from "../resources/define.ts";
import { search } from "../resources/search.ts";

/** Where a name or an id leads: to one record, to several that a name may mean, or to none. Never to a guess. */
export type Found = One | Several | None;

export interface One {
  readonly kind: "one";
  readonly record: EntitySummary;
  readonly matchedBy: MatchedBy;
}

/** Records that fit a name in the same way, one more than an answer lists where there are more. */
export interface Several {
  readonly kind: "several";
  readonly name: string; // as asked
  readonly records: readonly EntitySummary[];
  readonly matchedBy: MatchedBy;
}

export interface None {
  readonly kind: "none";
  readonly name: string; // as asked
}

/** How to pick one of several. */
export const ASK_AGAIN =
  "Ask get_physical_presence or check_physical_evidence again with the public_id of one of the candidates.";

/** A part of a name that is shorter says too little. */
const MIN_PART = 3;
/** Search does not compare these, or not in every script, so they make no part longer. */
const NO_LETTER = /[\p{M}\p{Cf}\p{Cc}\s]/gu;

/** The record of a name in a city (slug): by the exact name, then by the normalised name, then by a part that only one has. */
export function findRecord(context: ReadContext, city: string, name: string): Found {
  const same = named(context, { name, city, name_match: "same" });
  const exact = same.filter((record) => record.name === name.normalize("NFC"));
  if (exact.length > 0) return decided(name, exact, "exact_name");
  if (same.length > 0) return decided(name, same, "normalized_name");
  if ([...name.normalize("NFC").replace(NO_LETTER, "")].length < MIN_PART) return { kind: "none", name };
  return decided(name, named(context, { name, city, name_match: "contains" }), "unique_substring");
}

/** One more than is shown, so that it is seen when there are more; exact names come first. */
function named(context: ReadContext, query: Readonly<Record<string, string>>): readonly EntitySummary[] {
  return search.read(context, {}, { ...query, limit: String(MCP_LIMITS.candidates + 1) }).results;
}

function decided(name: string, records: readonly EntitySummary[], matchedBy: MatchedBy): Found {
  const [record, ...others] = records;
  if (record === undefined) return { kind: "none", name };
  return others.length === 0
    ? { kind: "one", record, matchedBy }
    : { kind: "several", name, records, matchedBy };
}

export function matchOf(record: EntitySummary, matchedBy: MatchedBy): Match {
  const { public_id, name, city, record_type, record_url, identity_hierarchy } = record;
  return { public_id, name, city, record_type, record_url, matched_by: matchedBy, identity_hierarchy };
}

/** How many records a name fits; a lower bound where there are more than an answer lists. */
export function countOf({ records }: Several): { readonly records: number; readonly isLowerBound: boolean } {
  return { records: records.length, isLowerBound: records.length > MCP_LIMITS.candidates };
}

/** The same as a sentence, with what to do. */
export function severalText(several: Several, city: string): string {
  const { records, isLowerBound } = countOf(several);
  return `${isLowerBound ? "At least " : ""}${records} Presence Records in ${city} fit that name. ${ASK_AGAIN}`;
}

export function candidatesOf(records: readonly EntitySummary[]): Candidates {
  return records
    .slice(0, MCP_LIMITS.candidates)
    .map(({ public_id, name, city, record_url }) => ({ public_id, name, city, record_url }));
}
