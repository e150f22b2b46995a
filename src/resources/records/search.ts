import { MAX_SEARCH_TOTAL } from "../../contract/limits.ts";
import { SearchParams } from "../../contract/params.ts";
import { SearchResponse } from "../../contract/records/search.ts";
import type { SearchFilters } from "../../snapshot/search/search.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { demandOf } from "../cities/demand-wire.ts";
import { defineResource } from "../define.ts";
import { cityEnvelope } from "../envelope.ts";
import { pageStart, wayOn } from "../frozen-list.ts";
import { entitySummary } from "./entity-summary.ts";
import { searchCoverage, searchedCities } from "./searched-cities.ts";

export const search = defineResource({
  operationId: "searchEntities",
  path: "/api/v1/search",
  summary: "Search Presence Records by name, place, website, industry or online presence",
  description:
    "Returns records that match all filters, most observed first. With `name_match=same`, exact matches come first. For the next page, pass `next_cursor` as `cursor` with the same filters. All pages come from the first page's release. 410 means that the release has expired: restart without a cursor. An empty result never proves absence. `searched_cities` lists the searched cities, and the coverage is that of the least observed one.",
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
      keptSnapshot: (id: string) => context.releaseSnapshot(id),
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
      ...wayOn(place, records.length, hasMore, records.at(-1)?.position),
      release_id: release.releaseId,
      results: records.map((record) => entitySummary(record, snapshot.city(record.city), release.baseUrl)),
      ...searchCoverage(cities),
      demand: demandOf(snapshot, asked.city),
      ...cityEnvelope(release, cities),
    };
  },
});

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
