import { CityIndexResponse, type RankedEntity } from "../../contract/cities/city.ts";
import type { CitySort, ClaimState, OnlinePresence, RankingState } from "../../contract/enums.ts";
import { CityIndexParams, CityParams } from "../../contract/params.ts";
import { LICENSE } from "../../contract/records/claim-boundary.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource } from "../define.ts";
import { cityEnvelope, coverageStatus } from "../envelope.ts";
import { type Place, pageStart, pagingFields } from "../paging.ts";
import { entitySummary } from "../records/entity.ts";
import { RANK_TIE_POLICY } from "../records/record.ts";
import { activeRecords, cityObject, cityPaths, coveredCity } from "./cities.ts";
import { demandOf } from "./pulse.ts";

export const cityIndex = defineResource({
  operationId: "getCityIndex",
  path: "/api/v1/city/{city}/index",
  summary: "List a city's ranking, paged through a frozen snapshot",
  description:
    "Default order: ranked records first, then the others by provisional score. For the next page, pass `next_cursor` as `cursor` with the same filters and `sort`. All pages come from the first page's snapshot, so totals are exact. 410 means that the snapshot has expired: restart without a cursor. Filters and sorting do not change ranks. `total_count` and `ranking_summary` count the records that match the filters.",
  pathParams: CityParams.shape,
  query: CityIndexParams.omit({ city: true }).shape,
  wire: CityIndexResponse,
  example: { path: { city: "exampleville" }, query: { limit: "2" } },
  errors: [400, 404, 410],
  enumerate: cityPaths,
  load(context, { city: slug }, query) {
    const { industry, online_presence, ranking_state, claim_status, sort, cursor, limit } = query;
    const filters = {
      industry,
      onlinePresence: online_presence,
      rankingState: ranking_state,
      claimState: claim_status,
      sort,
    };
    coveredCity(context.snapshot, slug); // regardless of the cursor
    const list = {
      filters: filterKey(slug, filters),
      earlierSnapshot: (id: string) => context.citySnapshot(slug, id),
    };
    const { snapshot, offset } = pageStart(context, list, cursor);
    const city = snapshot.city(slug);
    return city && page(snapshot, city, filters, offset, limit);
  },
});

interface Filters {
  readonly industry: string | undefined;
  readonly onlinePresence: OnlinePresence | undefined;
  readonly rankingState: RankingState | undefined;
  readonly claimState: ClaimState | undefined;
  readonly sort: CitySort;
}

function filterKey(slug: string, filters: Filters): Place["filters"] {
  const { industry, onlinePresence, rankingState, claimState, sort } = filters;
  const asked = [industry, onlinePresence, rankingState, claimState].map((filter) => filter ?? null);
  return ["city index", slug, ...asked, sort];
}

function page(
  snapshot: Snapshot,
  city: CityRow,
  filters: Filters,
  offset: number,
  limit: number,
): CityIndexResponse {
  const release = snapshot.release();
  const summary = snapshot.cityIndexSummary(city.slug, filters);
  const total = activeRecords({ rankingSummary: summary });
  const rows = snapshot.cityIndexPage(city.slug, filters, offset, limit);
  const place = { snapshotId: city.snapshotId, filters: filterKey(city.slug, filters), offset };
  return {
    city: cityObject(city, release.baseUrl),
    launch_status: city.launched ? "launched" : "preview",
    coverage_status_deprecated: true,
    ...coverageStatus(city),
    demand: demandOf(snapshot, city.slug),
    data_available: city.observationCount > 0,
    industry: filters.industry ?? null,
    ranking_state: filters.rankingState ?? null,
    claim_status: filters.claimState ?? null,
    license: LICENSE,
    returned_count: rows.length,
    total_count: total,
    count: rows.length,
    ...pagingFields(place, rows.length, offset + rows.length < total),
    snapshot_id: city.snapshotId,
    ranking_summary: summary,
    rankings: rows.map((record) => rankedEntity(record, city, release.baseUrl)),
    ...cityEnvelope(release, [city]),
  };
}

function rankedEntity(record: RecordRow, city: CityRow, baseUrl: string): RankedEntity {
  return {
    ...entitySummary(record, city, baseUrl),
    rank: record.standing.rank,
    rank_tie_policy: RANK_TIE_POLICY,
  };
}
