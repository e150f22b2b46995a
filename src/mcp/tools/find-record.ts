import type { NameMatch } from "../../contract/enums.ts";
import { LIMITS, MCP_LIMITS } from "../../contract/limits.ts";
import type { ToolContract } from "../../contract/mcp/evidence-tools.ts";
import type { Candidates, Match, MatchedBy } from "../../contract/mcp/fields.ts";
import type { EntitySummary } from "../../contract/records/entity.ts";
import type { SearchResponse } from "../../contract/records/search.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ReadContext } from "../../resources/define.ts";
import { entitySummary } from "../../resources/records/entity.ts";
import { publicRecord } from "../../resources/records/record.ts";
import { search } from "../../resources/records/search.ts";
import { type City, cityLabel, findCity } from "../release-facts.ts";
import { argumentError, ToolError } from "./define-tool.ts";

/** A requested record: by the name on its sign, or by the id from an earlier result. */
export type Asked = { readonly name: string } | { readonly publicId: string };

/** A city of the release and the record lookup in it. */
export interface Answered {
  readonly city: City;
  readonly lookup: Lookup;
}

/** Requires exactly one of name and public_id; `argument` is the tool's argument for the name. Throws ArgumentError. */
export function askedFor(
  contract: Pick<ToolContract, "name" | "input">,
  argument: string,
  name: string | undefined,
  publicId: string | undefined,
): Asked {
  if (name !== undefined && publicId === undefined) return { name };
  if (publicId !== undefined && name === undefined) return { publicId };
  const got = publicId === undefined ? "neither" : "both";
  throw argumentError(contract, `pass either ${argument} or public_id (got ${got})`);
}

/** Looks up the record. Throws ToolError for an unknown city, an unknown id or a record of another city. */
export function findAsked(context: ReadContext, asked: Asked, cityText: string): Answered {
  if ("publicId" in asked) return foundById(context, asked.publicId, cityText);
  const city = findCity(context, cityText);
  return { city, lookup: findRecord(context, city.slug, asked.name) };
}

function foundById(context: ReadContext, publicId: string, cityText: string): Answered {
  const { record, city: row } = recordOf(context, publicId);
  const city = cityIfKnown(context, cityText);
  if (city?.slug !== row.slug)
    throw new ToolError(
      `The record ${publicId} belongs to another city: pass city ${cityLabel(context, row.slug)}.`,
    );
  const summary = entitySummary(record, row, context.snapshot.release().baseUrl);
  return { city, lookup: { kind: "one", record: summary, matchedBy: "public_id" } };
}

function recordOf(context: ReadContext, publicId: string) {
  try {
    const record = publicRecord(context.snapshot, publicId);
    if (record !== undefined) return record;
  } catch (error) {
    throw mergedError(error, publicId) ?? error;
  }
  throw new ToolError(
    `The public_id ${publicId} matches no record in this release, and nothing follows from that: the id may be misspelled, or its record withdrawn. Pass a name instead.`,
  );
}

function mergedError(error: unknown, publicId: string): ToolError | undefined {
  const staying = error instanceof PublicError ? error.details["merged_into"] : undefined;
  if (typeof staying !== "string") return undefined;
  return new ToolError(`The record ${publicId} was merged into ${staying}: pass public_id ${staying}.`);
}

/** Returns undefined for an unknown or ambiguous city, because the error for the record's own city is more useful. */
function cityIfKnown(context: ReadContext, text: string): City | undefined {
  try {
    return findCity(context, text);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** Result of a lookup: one record, several that the name may mean, or none. Never a guess. */
export type Lookup = One | Several | None;

export interface One {
  readonly kind: "one";
  readonly record: EntitySummary;
  readonly matchedBy: MatchedBy;
}

/** Records that match a name equally well. */
export interface Several extends Total {
  readonly kind: "several";
  readonly name: string; // as requested
  readonly listed: readonly EntitySummary[]; // at most `MCP_LIMITS.candidates`
  readonly matchedBy: MatchedBy;
}

interface Total {
  readonly total: number; // records
  readonly isLowerBound: boolean;
}

export interface None {
  readonly kind: "none";
  readonly name: string; // as requested
}

export const ASK_AGAIN =
  "Call get_physical_presence or check_physical_evidence again with the public_id of one of the candidates.";

/** Minimum length of a partial name, in letters. */
const MIN_PART = 3;
/** Characters that search ignores, at least in some scripts. They do not count towards the length. */
const NO_LETTER = /[\p{M}\p{Cf}\p{Cc}\s]/gu;

/** Finds the record of a name in a city (slug): by exact name, then by normalized name, then by a unique partial name. */
export function findRecord(context: ReadContext, city: string, name: string): Lookup {
  const sameQuery: Query = { name, city, name_match: "same" };
  const same = named(context, sameQuery);
  const exact = exactOf(same, name);
  if (exact.length > 0) return decided(name, exact, exactTotal(context, sameQuery, same), "exact_name");
  if (same.results.length > 0) return decided(name, same.results, totalOf(same), "normalized_name");
  if ([...name.normalize("NFC").replace(NO_LETTER, "")].length < MIN_PART) return { kind: "none", name };
  const holding = named(context, { name, city, name_match: "contains" });
  return decided(name, holding.results, totalOf(holding), "unique_substring");
}

interface Query {
  readonly name: string;
  readonly city: string;
  readonly name_match: NameMatch;
}

function named(context: ReadContext, query: Query, limit: number = MCP_LIMITS.candidates): SearchResponse {
  return search.read(context, {}, { ...query, limit: String(limit) });
}

function exactOf({ results }: SearchResponse, name: string): EntitySummary[] {
  return results.filter((record) => record.name === name.normalize("NFC"));
}

function totalOf({ total_count, total_is_lower_bound }: SearchResponse): Total {
  return { total: total_count, isLowerBound: total_is_lower_bound };
}

/** Counts exact matches. They come first in the search, so the first page with other spellings ends the count. */
function exactTotal(context: ReadContext, query: Query, first: SearchResponse): Total {
  const goesOn = ({ results, has_more }: SearchResponse, exact: number) =>
    has_more && exact === results.length;
  const onFirst = exactOf(first, query.name).length;
  if (!goesOn(first, onFirst)) return { total: onFirst, isLowerBound: false };
  const longest = named(context, query, LIMITS.search.max);
  const total = exactOf(longest, query.name).length;
  return { total, isLowerBound: goesOn(longest, total) };
}

function decided(name: string, listed: readonly EntitySummary[], total: Total, matchedBy: MatchedBy): Lookup {
  const [record, ...others] = listed;
  if (record === undefined) return { kind: "none", name };
  return others.length === 0
    ? { kind: "one", record, matchedBy }
    : { kind: "several", name, listed, ...total, matchedBy };
}

export function matchOf(record: EntitySummary, matchedBy: MatchedBy): Match {
  const { public_id, name, city, place_precision, record_type, record_url, identity_hierarchy } = record;
  const found = { public_id, name, city, place_precision, record_type, record_url };
  return { ...found, matched_by: matchedBy, identity_hierarchy };
}

/** States how many records match a name, and the next step. */
export function severalText({ total, isLowerBound }: Several, city: string): string {
  return `${isLowerBound ? "At least " : ""}${total} Presence Records in ${city} match that name. ${ASK_AGAIN}`;
}

export function candidatesOf({ listed }: Several): Candidates {
  return listed.map(({ public_id, name, city, record_url }) => ({ public_id, name, city, record_url }));
}
