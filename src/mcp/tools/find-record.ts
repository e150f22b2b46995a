import type { NameMatch } from "../../contract/enums.ts";
import { LIMITS, MCP_LIMITS } from "../../contract/limits.ts";
import type { ToolContract } from "../../contract/mcp/evidence-tools.ts";
import type { Candidates, Detail, Match, MatchedBy } from "../../contract/mcp/fields.ts";
import { SIMILAR_NAMES_NOTE } from "../../contract/records/claim-boundary.ts";
import type { EntitySummary } from "../../contract/records/entity.ts";
import type { SearchResponse, SimilarNames } from "../../contract/records/search.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ReadContext } from "../../resources/define.ts";
import { entitySummary } from "../../resources/records/entity.ts";
import { publicRecord } from "../../resources/records/record.ts";
import { search } from "../../resources/records/search.ts";
import { allCities, type City, cityLabel, findCity, type Scope } from "../release-facts.ts";
import { argumentError, definedOnly, ToolError } from "./define-tool.ts";

/** A requested record: by the name on its sign, or by the id from an earlier result. */
export type Asked = { readonly name: string } | { readonly publicId: string };

/** The record lookup, and where it looked; the record's city, where it found one. */
export interface Answered {
  readonly scope: Scope;
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

/** Looks up the record, in all cities without one. Throws ToolError for an unknown city, an unknown id or a record of another city. */
export function findAsked(context: ReadContext, asked: Asked, cityText: string | undefined): Answered {
  if ("publicId" in asked) return foundById(context, asked.publicId, cityText);
  if (cityText === undefined) return foundAnywhere(context, asked.name);
  const scope = findCity(context, cityText);
  return { scope, lookup: findRecord(context, scope.slug, asked.name) };
}

function foundAnywhere(context: ReadContext, name: string): Answered {
  const lookup = findRecord(context, undefined, name);
  const slugs = slugsOf(lookup);
  const [slug] = slugs;
  const isOne = lookup.kind === "one" && slug !== undefined;
  const among = lookup.kind === "several" ? slugs : undefined;
  return { scope: isOne ? findCity(context, slug) : allCities(context, among), lookup };
}

function foundById(context: ReadContext, publicId: string, cityText: string | undefined): Answered {
  const { record, city: row } = recordOf(context, publicId);
  const city = cityText === undefined ? findCity(context, row.slug) : cityIfKnown(context, cityText);
  if (city?.slug !== row.slug)
    throw new ToolError(
      `The record ${publicId} belongs to another city: pass city ${cityLabel(context, row.slug)}.`,
    );
  const summary = entitySummary(record, row, context.snapshot.release().baseUrl);
  return { scope: city, lookup: { kind: "one", record: summary, matchedBy: "public_id" } };
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
  readonly similar: SimilarNames; // never taken as the match
}

export const ASK_AGAIN =
  "Call get_physical_presence or check_physical_evidence again with the public_id of one of the candidates.";

/** Minimum length of a partial name, in letters. */
const MIN_PART = 3;
/** Characters that search ignores, at least in some scripts. They do not count towards the length. */
const NO_LETTER = /[\p{M}\p{Cf}\p{Cc}\s]/gu;

/**
 * Finds the record of a name in a city (slug) or in all: by exact name, then by normalized name, then by a unique partial name.
 * A spelling does not choose between cities.
 */
export function findRecord(context: ReadContext, city: string | undefined, name: string): Lookup {
  if (context.snapshot.searchCount({ name, city, nameMatch: "same" }, 1) > 0)
    return sameNamed(context, { name, city, name_match: "same" });
  if ([...name.normalize("NFC").replace(NO_LETTER, "")].length < MIN_PART)
    return { kind: "none", name, similar: [] };
  const holding = named(context, { name, city, name_match: "contains" });
  return decided(name, holding, totalOf(holding), "unique_substring");
}

function sameNamed(context: ReadContext, query: Query): Lookup {
  const { name, city } = query;
  const same = named(context, query);
  const results = exactOf(same, name);
  const isInOneCity = () => city !== undefined || citiesNamed(context, name, results, 1).length === 0;
  return results.length > 0 && isInOneCity()
    ? decided(name, { ...same, results }, exactTotal(context, query, same), "exact_name")
    : decided(name, same, totalOf(same), "normalized_name");
}

interface Query {
  readonly name: string;
  readonly city: string | undefined;
  readonly name_match: NameMatch;
}

function named(context: ReadContext, query: Query, limit: number = MCP_LIMITS.candidates): SearchResponse {
  return search.read(context, {}, definedOnly({ ...query, limit: String(limit) }));
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

function decided(name: string, found: SearchResponse, total: Total, matchedBy: MatchedBy): Lookup {
  const { results: listed, similar_names: similar } = found;
  const [record, ...others] = listed;
  if (record === undefined) return { kind: "none", name, similar };
  return others.length === 0
    ? { kind: "one", record, matchedBy }
    : { kind: "several", name, listed, ...total, matchedBy };
}

function recordsOf(lookup: Lookup): readonly EntitySummary[] {
  if (lookup.kind === "none") return [];
  return lookup.kind === "one" ? [lookup.record] : lookup.listed;
}

function slugsOf(lookup: Lookup): ReadonlySet<string> {
  return new Set(recordsOf(lookup).map(({ city_slug }) => city_slug));
}

/** Slugs of the cities, other than those of the answer, with a record of the name that was found, or else asked for. */
export function sameNameIn(
  context: ReadContext,
  lookup: Lookup,
  max: number = MCP_LIMITS.sameNameCities,
): { same_name_in?: string[] } {
  const name = lookup.kind === "one" ? lookup.record.name : lookup.name;
  const cities = citiesNamed(context, name, recordsOf(lookup), max);
  return cities.length === 0 ? {} : { same_name_in: cities };
}

/** So few records of a name are read; a name that more have is looked for in city after city. */
const FEW = 30;

function citiesNamed(
  context: ReadContext,
  name: string,
  except: readonly EntitySummary[],
  max: number,
): string[] {
  const { snapshot } = context;
  const same = { name, nameMatch: "same" } as const;
  const left = new Set(except.map(({ city_slug }) => city_slug));
  const isOther = (slug: string) => !left.has(slug);
  const rows = snapshot.search({ ...same, limit: FEW });
  if (rows.length < FEW) return [...new Set(rows.map(({ city }) => city))].filter(isOther).slice(0, max);
  const others: string[] = [];
  for (const { slug: city } of snapshot.cities())
    if (others.length < max && isOther(city) && snapshot.searchCount({ ...same, city }, 1) > 0)
      others.push(city);
  return others;
}

export function matchOf({ record, matchedBy }: One, detail: Detail): Match {
  const { public_id, name, city, city_slug, is_synthetic, place_precision, record_type, record_url } = record;
  const found = { public_id, name, city, city_slug, is_synthetic, place_precision, record_type, record_url };
  return { ...found, matched_by: matchedBy, identity_hierarchy: identityOf(record, detail) };
}

export function identityOf({ identity_hierarchy: whole }: EntitySummary, detail: Detail) {
  return detail === "full" ? whole : { review_state: whole.review_state };
}

/** States how many records match a name, and the next step. */
export function severalText({ total, isLowerBound }: Several, { name }: Scope): string {
  return `${isLowerBound ? "At least " : ""}${total} Presence Records in ${name} match that name. ${ASK_AGAIN}`;
}

export function candidatesOf(
  context: ReadContext,
  { listed }: Several,
  max: number = MCP_LIMITS.candidates,
): Candidates {
  return listed.slice(0, max).map((record) => {
    const { public_id, name, city, city_slug, is_synthetic, record_url } = record;
    const coverage_tier = findCity(context, city_slug).coverage.tier;
    return { public_id, name, city, city_slug, coverage_tier, is_synthetic, record_url };
  });
}

/** The names that look alike where none matched. */
export function similarNamesOf(lookup: Lookup, max?: number): { similar_names?: SimilarNames } {
  const similar = lookup.kind === "none" ? lookup.similar.slice(0, max) : [];
  return similar.length === 0 ? {} : { similar_names: similar };
}

/** Follows what is said of a name that was not found. */
export function similarText({ similar }: None): string {
  return similar.length === 0 ? "" : SIMILAR_NAMES_NOTE;
}
