import { cellToChildren, getResolution, gridDisk } from "h3-js";
import { MAX_SEARCH_TOTAL, MAX_SEARCHED_CITIES, MAX_SIMILAR, NEAR } from "../../contract/limits.ts";
import { SearchParams } from "../../contract/params.ts";
import { NOT_COVERED_NOTE } from "../../contract/records/claim-boundary.ts";
import { FIXED_RESOLUTION } from "../../contract/records/observation.ts";
import { SearchResponse, type SimilarNames } from "../../contract/records/search.ts";
import { prefixLength } from "../../kernel/prefix-length.ts";
import { cityDate } from "../../kernel/time.ts";
import type { CityRow, RecordCellRow } from "../../snapshot/rows.ts";
import type { SearchFilters } from "../../snapshot/search/search.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { demandOf } from "../cities/pulse.ts";
import { defineResource, type ReadContext } from "../define.ts";
import { cityEnvelope, coverageStatus, sparsest } from "../envelope.ts";
import { recordUrl } from "../links.ts";
import { pageStart, pagingFields } from "../paging.ts";
import { entitySummary } from "./entity.ts";

/** Cities that a search covers, with or without matches: the requested one, those around a map cell, or all. */
export function searchedCities(
  snapshot: Pick<Snapshot, "city" | "cities">,
  { city: slug, near }: { readonly city?: string | undefined; readonly near?: string | undefined },
): readonly CityRow[] {
  if (slug === undefined)
    return near === undefined ? snapshot.cities() : citiesAround(snapshot.cities(), near);
  const city = snapshot.city(slug);
  return city === undefined ? [] : [city];
}

const CITY_RESOLUTION = NEAR.resolution + 1; // a city's sorted cells

function citiesAround(cities: readonly CityRow[], near: string): CityRow[] {
  const around = gridDisk(near, NEAR.rings).flatMap((cell) => cellToChildren(cell, CITY_RESOLUTION));
  return cities.filter(({ cells }) => around.some((cell) => isIn(cells, cell)));
}

/** Binary search, because a city has thousands of cells. */
function isIn(sorted: readonly string[], wanted: string): boolean {
  return sorted[prefixLength(sorted.length, (at) => (sorted[at] ?? "") < wanted)] === wanted;
}

type Coverage = Pick<
  SearchResponse,
  "coverage_status" | "coverage_message" | "searched_cities" | "searched_city_count"
>;

/** Searched cities, and the coverage of the least observed one. */
export function searchCoverage(cities: readonly CityRow[]): Coverage {
  return {
    ...lowestCoverage(cities),
    searched_cities: cities.slice(0, MAX_SEARCHED_CITIES).map(({ slug }) => slug),
    searched_city_count: cities.length,
  };
}

function lowestCoverage(cities: readonly CityRow[]): Pick<Coverage, "coverage_status" | "coverage_message"> {
  const lowest = sparsest(cities);
  if (lowest === undefined) return { coverage_status: "not_covered", coverage_message: NOT_COVERED_NOTE };
  const coverage = coverageStatus(lowest);
  if (cities.length === 1) return coverage;
  const scope = `${cities.length} cities searched. ${lowest.name} has the lowest coverage:`;
  return { ...coverage, coverage_message: `${scope} ${coverage.coverage_message}` };
}

/** Accepted observations at one published place. `last_observed`: the last one's day, in the city's solar time. */
interface Seen {
  readonly observations: number;
  readonly last_observed: string;
}

export interface RecordPlaces {
  /** Cells of fixed assets and brand mentions, by cell. */
  readonly cells: readonly (Seen & { readonly h3_cell: string })[];
  /** Observations of mobile assets, whose only published place is the city; null without any. */
  readonly city: Seen | null;
}

/** Returns the places of a record's accepted observations; none for an unknown record. */
export function recordPlaces({ snapshot }: Pick<ReadContext, "snapshot">, publicId: string): RecordPlaces {
  const city = snapshot.city(snapshot.record(publicId)?.city ?? "");
  if (city === undefined) return { cells: [], city: null };
  const rows = snapshot.cellsOf(publicId);
  const wide = rows.filter((row) => !isFixed(row));
  return {
    cells: rows.filter(isFixed).map((row) => ({ h3_cell: row.cell, ...seen([row], city.lng) })),
    city: wide.length === 0 ? null : seen(wide, city.lng),
  };
}

function isFixed({ cell }: RecordCellRow): boolean {
  return getResolution(cell) === FIXED_RESOLUTION;
}

function seen(rows: readonly RecordCellRow[], lng: number): Seen {
  return {
    observations: rows.reduce((sum, { observations }) => sum + observations, 0),
    last_observed: cityDate(Math.max(...rows.map(({ lastObserved }) => lastObserved)), lng),
  };
}

export const search = defineResource({
  operationId: "searchEntities",
  path: "/api/v1/search",
  summary: "Search Presence Records by name, place, website, industry or online presence",
  description:
    "Returns records that match all filters, most observed first. With `name_match=same`, exact matches come first. For the next page, pass `next_cursor` as `cursor` with the same filters. All pages come from the first page's release. 410 means that the release has expired: restart without a cursor. An empty result never proves absence. `similar_names` then lists names that look alike, which are no matches. `searched_cities` lists the searched cities, and the coverage is that of the least observed one.",
  pathParams: {},
  query: SearchParams.shape,
  wire: SearchResponse,
  example: { path: {}, query: { name: "bakery", city: "exampleville" } },
  errors: [400, 410],
  enumerate: () => [{}],
  load(context, _path, { cursor, limit, ...asked }) {
    const query = understood(asked);
    const list = {
      filters: ["search", ...Object.values(query)],
      earlierSnapshot: (id: string) => context.releaseSnapshot(id),
    };
    const { snapshot, offset, after } = pageStart(context, list, cursor);
    const release = snapshot.release();
    const filters = filtersOf(asked);
    const matches = snapshot.search({ ...filters, limit: limit + 1, after });
    const records = matches.slice(0, limit);
    const hasMore = matches.length > limit;
    const place = { snapshotId: release.releaseId, filters: list.filters, offset };
    const cities = searchedCities(snapshot, asked);
    return {
      query,
      count: records.length,
      ...total(snapshot, filters, offset === 0 && !hasMore ? records.length : undefined),
      ...pagingFields(place, records.length, hasMore, records.at(-1)?.position),
      release_id: release.releaseId,
      results: records.map((record) => entitySummary(record, snapshot.city(record.city), release.baseUrl)),
      similar_names: offset + records.length > 0 ? [] : similarNames(snapshot, filters),
      ...searchCoverage(cities),
      demand: demandOf(snapshot, asked.city),
      ...cityEnvelope(release, cities),
    };
  },
});

/** Published names that look like one that matches nothing. Costs more than a search that finds something. */
export function similarNames(snapshot: Snapshot, { name, ...filters }: SearchFilters): SimilarNames {
  if (name === undefined) return [];
  const { baseUrl } = snapshot.release();
  return snapshot.similar({ ...filters, name }, MAX_SIMILAR).map((record) => ({
    public_id: record.publicId,
    name: record.name,
    city: record.city,
    city_name: snapshot.city(record.city)?.name ?? record.city,
    is_synthetic: record.isSynthetic,
    record_url: recordUrl(baseUrl, record.publicId),
  }));
}

type Asked = Omit<SearchParams, "cursor" | "limit">;

function understood(asked: Asked): SearchResponse["query"] & Readonly<Record<string, string | null>> {
  return {
    name: asked.name ?? null,
    name_match: asked.name === undefined ? null : asked.name_match,
    city: asked.city ?? null,
    industry: asked.industry ?? null,
    online_presence: asked.online_presence ?? null,
    website: asked.website ?? null,
    near: asked.near ?? null,
  };
}

function filtersOf({ name_match, online_presence, ...same }: Asked): SearchFilters {
  return { ...same, nameMatch: name_match, onlinePresence: online_presence };
}

// Counting stops soon after the bound: counting all matches of a common syllable takes a hundred times as long as a page.
function total(
  snapshot: Snapshot,
  filters: SearchFilters,
  known: number | undefined,
): Pick<SearchResponse, "total_count" | "total_is_lower_bound"> {
  const counted = known ?? snapshot.searchCount(filters, MAX_SEARCH_TOTAL + 1);
  return {
    total_count: Math.min(counted, MAX_SEARCH_TOTAL),
    total_is_lower_bound: counted > MAX_SEARCH_TOTAL,
  };
}
