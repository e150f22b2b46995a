/** Records by name and filters. */

import { cellToLatLng, greatCircleDistance } from "h3-js";
import { z } from "zod";
import { SearchParams } from "../../contract/params.ts";
import type { EntitySummary } from "../../contract/records/entity.ts";
import type { SearchResponse } from "../../contract/records/search.ts";
import { cityDay, count, industryText, number } from "../../render/words/format.ts";
import { recordState, unrankedText } from "../../render/words/record-words.ts";
import type { ReadContext } from "../../resources/define.ts";
import { sparsest } from "../../resources/envelope.ts";
import { rowsBefore } from "../../resources/paging.ts";
import { presenceScore } from "../../resources/records/entity.ts";
import { recordPlaces, searchedCities, search as searchResource } from "../../resources/records/search.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** Records on a page. */
export const SHOWN = 50;

/** The heading of the results. */
export const RESULTS_ANCHOR = "#results";

/** What takes all filters but the name away. */
export const NO_FILTERS = {
  city: undefined,
  industry: undefined,
  online_presence: undefined,
  website: undefined,
  near: undefined,
  cursor: undefined,
};

/** A record as the list has it. */
const FoundRecord = z.object({
  publicId: z.string(),
  name: z.string(),
  isSynthetic: z.boolean(),
  city: z.string().nullable(),
  industry: z.string(),
  state: z.string(),
  km: z.number().nullable(), // from the middle of the area that was asked for
});
export type FoundRecord = z.infer<typeof FoundRecord>;

const SimilarRecord = FoundRecord.pick({ publicId: true, name: true, isSynthetic: true, city: true });

export const SearchAnswer = z.object({
  /** What was looked for, as the service understood it. */
  name: z.string().nullable(),
  website: z.string().nullable(),
  near: z.string().nullable(),
  city: z.string().nullable(),
  isFiltered: z.boolean(), // by more than the name
  /** Where it was looked for: cities by name unless they are many. */
  cities: z.int(),
  cityNames: z.array(z.string()).nullable(),
  coverageConfidence: z.string(),
  coverageNote: z.string(),
  sparsestCity: z.string().nullable(), // of several
  records: z.array(FoundRecord),
  /** Where there is no record, those whose names look alike. */
  similar: z.array(SimilarRecord),
  extent: z.string(),
  before: z.int(), // records before these
  cursor: z.string().nullable(), // of the next ones
  next: z.string(), // label of the link to them
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;

export const search = defineQueryPage({
  name: "search",
  operation: "search_page",
  path: "/search/",
  parameters: SearchParams.omit({ name_match: true, limit: true }).keyof().options,
  wire: SearchAnswer,
  answer,
  place: (shown: PageState<SearchAnswer>) => ({ search: shown }),
  foundNothing: ({ records }) => records.length === 0,
});

function answer(context: ReadContext, input: PageInput): SearchAnswer {
  const response = searchResource.read(context, {}, { ...input.query, limit: String(SHOWN) });
  const before = rowsBefore(argument(input, "cursor"));
  const { name, name_match: _, ...filters } = response.query;
  return {
    name,
    website: filters.website,
    near: filters.near,
    city: filters.city,
    isFiltered: Object.values(filters).some((filter) => filter !== null),
    ...scope(context, response),
    records: nearestFirst(response.results.map((record) => foundRecord(context, record, filters.near))),
    similar: response.similar_names.map(
      ({ public_id: publicId, name, is_synthetic: isSynthetic, city_name: city }) => ({
        publicId,
        name,
        isSynthetic,
        city,
      }),
    ),
    extent: extent(response, before),
    before,
    cursor: response.next_cursor,
    next: next(response, before),
  };
}

/** Above this number cities are counted and not named. */
const MAX_NAMED = 12;

/** Which cities were searched, and the lowest coverage confidence among them. */
function scope({ snapshot }: ReadContext, response: SearchResponse) {
  const { searched_cities: slugs, searched_city_count: cities, coverage_confidence: coverage } = response;
  const lowest = sparsest(searchedCities(snapshot, { near: response.query.near ?? undefined }));
  return {
    cities,
    cityNames: cities > MAX_NAMED ? null : slugs.map((slug) => snapshot.city(slug)?.name ?? slug),
    coverageConfidence: coverage.level,
    coverageNote: coverage.note,
    sparsestCity: cities > 1 ? (lowest?.name ?? null) : null,
  };
}

function extent(response: SearchResponse, before: number): string {
  const isNear = response.query.near !== null;
  const { count: shown, total_count: total, total_is_lower_bound: isMore } = response;
  const all = isMore ? `more than ${number(total)} records` : count(total, "record", "records");
  const isWhole = before === 0 && response.next_cursor === null;
  const part = isWhole ? "" : `${number(before + 1)} to ${number(before + shown)} of `;
  if (!isNear) return `${part}${all}, most observed first.`;
  return isWhole
    ? `${all}, nearest first.`
    : `${part}${all}: the most observed here, the nearest of them first.`;
}

/** Of records near an area, the nearest first; those at one distance, and all others, stay in their order. */
function nearestFirst(records: readonly FoundRecord[]): FoundRecord[] {
  return [...records].sort((a, b) => (a.km ?? 0) - (b.km ?? 0));
}

/** To the nearest cell of a fixed asset, between the middles of cells: whole kilometers, because both are wide. */
function distance(context: ReadContext, publicId: string, near: string): number | null {
  const from = cellToLatLng(near);
  const { cells } = recordPlaces(context, publicId);
  const all = cells.map(({ h3_cell }) => greatCircleDistance(from, cellToLatLng(h3_cell), "km"));
  return all.length === 0 ? null : Math.max(1, Math.round(Math.min(...all)));
}

function next(
  { count: shown, total_count: total, total_is_lower_bound: isMore }: SearchResponse,
  before: number,
): string {
  return `Next ${number(isMore ? SHOWN : Math.min(SHOWN, total - before - shown))}`;
}

function foundRecord(context: ReadContext, record: EntitySummary, near: string | null): FoundRecord {
  const { public_id: publicId, name, city, first_observed_on: first, last_observed_on: last } = record;
  const seen =
    first === null ? "no accepted observation" : `first seen ${cityDay(first)}, last seen ${cityDay(last)}`;
  return {
    publicId,
    name,
    isSynthetic: record.is_synthetic,
    city,
    industry: industryText(record.industry),
    state: `${progress(context, record)} · ${seen}`,
    km: near === null ? null : distance(context, publicId, near),
  };
}

/** How far a record has come: its rank, or its state and what it still needs for a rank. */
function progress(context: ReadContext, record: EntitySummary): string {
  const { public_id, ranking_state, record_status } = record;
  if (record_status === "dissolved") return "dissolved by a review";
  if (ranking_state === "ranked") {
    const { pbi_rank, pbi_cohort_size } = presenceScore.read(context, { public_id }, {});
    if (pbi_rank !== null && pbi_cohort_size !== null)
      return `ranked ${number(pbi_rank)} of ${number(pbi_cohort_size)} in its city`;
  }
  return [recordState(record).label, unrankedText(record) ?? "ranked"].join(" · ");
}
