import { CityIndexResponse, type RankedEntity } from "../contract/city.ts";
import { LICENSE } from "../contract/claim-boundary.ts";
import type { CitySort, OnlinePresence } from "../contract/enums.ts";
import { CityIndexParams, CityParams } from "../contract/params.ts";
import { PublicError } from "../kernel/errors.ts";
import type { CityRow, RecordRow } from "../snapshot/rows.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { cityPaths } from "./cities.ts";
import { cityObject } from "./city-object.ts";
import { cursorFault, type Place, readCursor, writeCursor } from "./cursor.ts";
import { defineResource, type ReadContext } from "./define.ts";
import { demandOf } from "./demand-wire.ts";
import { entitySummary } from "./entity-summary.ts";
import { coverageStatus, envelope } from "./envelope.ts";
import { RANK_TIE_POLICY } from "./standing-wire.ts";

export const cityIndex = defineResource({
  operationId: "getCityIndex",
  path: "/api/v1/city/{city}/index",
  summary: "The ranking of a city, paged through a frozen snapshot",
  description:
    "Ranked records first, then the others by provisional score, unless `sort` says otherwise. Pass `next_cursor` as `cursor`, with the same filters and `sort`, to read on: all pages come from the snapshot of the first one, and totals are exact. 410 means that the snapshot is gone: restart without cursor. Neither filters nor another order renumber ranks.",
  pathParams: CityParams.shape,
  query: CityIndexParams.omit({ city: true }).shape,
  wire: CityIndexResponse,
  example: { path: { city: "exampleville" }, query: { limit: "2" } },
  errors: [400, 404, 410],
  enumerate: cityPaths,
  load(context, { city: slug }, { industry, online_presence, sort, cursor, limit }) {
    const filters = { industry, onlinePresence: online_presence, sort };
    const start = cursor === undefined ? undefined : readCursor(cursor, filterKey(slug, filters));
    const snapshot = start === undefined ? context.snapshot : frozen(context, slug, start);
    const city = snapshot.city(slug);
    return city && page(snapshot, city, filters, start?.offset ?? 0, limit);
  },
});

interface Filters {
  readonly industry: string | undefined;
  readonly onlinePresence: OnlinePresence | undefined;
  readonly sort: CitySort;
}

function filterKey(slug: string, { industry, onlinePresence, sort }: Filters): Place["filters"] {
  return [slug, industry ?? null, onlinePresence ?? null, sort];
}

function frozen(context: ReadContext, slug: string, { snapshotId }: Place): Snapshot {
  // An unknown city is a 404 whatever the cursor says.
  if (context.snapshot.city(slug) === undefined) throw new PublicError(404, "not found");
  const snapshot = context.citySnapshot(slug, snapshotId);
  if (snapshot === undefined)
    throw new PublicError(410, "the snapshot of this cursor has expired; restart without cursor");
  return snapshot;
}

function page(
  snapshot: Snapshot,
  city: CityRow,
  filters: Filters,
  offset: number,
  limit: number,
): CityIndexResponse {
  const release = snapshot.release();
  const total = snapshot.cityIndexCount(city.slug, filters);
  if (offset > 0 && offset >= total) throw cursorFault("points past the end; restart without cursor");
  const rows = snapshot.cityIndexPage(city.slug, filters, offset, limit);
  const next = offset + rows.length;
  const hasMore = next < total;
  const key = filterKey(city.slug, filters);
  return {
    city: cityObject(city, release.baseUrl),
    launch_status: city.launched ? "launched" : "preview",
    coverage_status_deprecated: true,
    ...coverageStatus([city]),
    demand: demandOf(snapshot, city.slug),
    data_available: city.observationCount > 0,
    industry: filters.industry ?? null,
    ranking_state: null,
    claim_status: null,
    license: LICENSE,
    returned_count: rows.length,
    total_count: total,
    count: rows.length,
    has_more: hasMore,
    next_cursor: hasMore ? writeCursor({ snapshotId: city.snapshotId, filters: key, offset: next }) : null,
    snapshot_id: city.snapshotId,
    ranking_summary: city.rankingSummary,
    rankings: rows.map((record) => rankedEntity(record, city, release.baseUrl)),
    ...envelope(release, [city]),
  };
}

function rankedEntity(record: RecordRow, city: CityRow, baseUrl: string): RankedEntity {
  return {
    ...entitySummary(record, city, baseUrl),
    rank: record.standing.rank,
    rank_tie_policy: RANK_TIE_POLICY,
  };
}
