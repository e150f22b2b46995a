import { webhookContract } from "../../contract/accounts/delivery.ts";
import { type ChangeEvent, PulseResponse } from "../../contract/cities/pulse.ts";
import type { EventType } from "../../contract/enums.ts";
import type { Demand } from "../../contract/fields.ts";
import { CityParams, PulseParams } from "../../contract/params.ts";
import { DEMAND_NOTE } from "../../contract/records/claim-boundary.ts";
import { UNAVAILABLE_EVENT_CLASSES } from "../../contract/records/evidence.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import type { CityRow, EventRow } from "../../snapshot/rows.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource, type ReadContext } from "../define.ts";
import { cityEnvelope } from "../envelope.ts";
import { pulseUrls, recordUrl } from "../links.ts";
import { pageStart, pagingFields } from "../paging.ts";
import { cityPaths, cityRef, coveredCity } from "./cities.ts";

/** Returns the demand for a city (slug); null without a city or when none is published. */
export function demandOf(snapshot: Pick<Snapshot, "demand">, city: string | undefined): Demand {
  const demand = city === undefined ? undefined : snapshot.demand(city);
  if (demand === undefined) return null;
  return {
    window_days: demand.windowDays,
    window_end: isoTime(demand.windowEnd),
    searches: demand.searches,
    searches_without_result: demand.searchesWithoutResult,
    alert_subscriptions: demand.alertSubscriptions,
    daily_clients: demand.dailyClients,
    note: DEMAND_NOTE,
  };
}

/** Returns at most `limit` change events of all cities, newest first, then by id. */
export function latestEvents({ snapshot }: Pick<ReadContext, "snapshot">, limit: number): ChangeEvent[] {
  const { baseUrl } = snapshot.release();
  return snapshot
    .cities()
    .flatMap(({ slug }) => snapshot.eventsOf(slug, { since: 0, limit }))
    .sort((a, b) => b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map((event) => changeEvent(event, baseUrl));
}

const DEFAULT_WINDOW_DAYS = 30;

export const pulse = defineResource({
  operationId: "getPulse",
  path: "/api/v1/pulse/{city}",
  summary: "List a city's changes: new records, new assets, stale assets and digital gaps",
  description:
    "Returns events derived from published data, newest first. `since` applies to `detected_at`. Closures, rebrands and vacancies are never derived. For the next page, pass `next_cursor` as `cursor` with the same `since`. All pages come from the first page's snapshot. 410 means that the snapshot has expired: restart without a cursor. The same feed as RSS: /pulse/{city}/rss.xml; as Atom: /pulse/{city}/atom.xml; as JSON Feed: /pulse/{city}/feed.json; for all cities: /pulse/rss.xml, /pulse/atom.xml and /pulse/feed.json.",
  pathParams: CityParams.shape,
  query: PulseParams.omit({ city: true }).shape,
  wire: PulseResponse,
  example: { path: { city: "exampleville" }, query: { since: "2026-06-01", limit: "5" } },
  errors: [400, 404, 410],
  enumerate: cityPaths,
  load(context, { city: slug }, { since, cursor, limit }) {
    coveredCity(context.snapshot, slug); // regardless of the cursor
    const list = {
      filters: ["pulse", slug, since ?? null],
      earlierSnapshot: (id: string) => context.citySnapshot(slug, id),
    };
    const { snapshot, offset } = pageStart(context, list, cursor);
    const city = snapshot.city(slug);
    if (city === undefined) return undefined;
    const release = snapshot.release();
    const start = since === undefined ? release.asOf - DEFAULT_WINDOW_DAYS * DAY_MS : Date.parse(since);
    const events = snapshot.eventsOf(slug, { since: start, offset, limit });
    const counts = eventCounts(snapshot, city, start);
    const place = { snapshotId: city.snapshotId, filters: list.filters, offset };
    return {
      schema: SCHEMA.pulse,
      city: cityRef(city),
      since: isoTime(start),
      status: "active" as const,
      total_count: counts.total_events,
      ...pagingFields(place, events.length, offset + events.length < counts.total_events),
      summary: {
        ...counts,
        returned_events: events.length,
        window_start: isoTime(start),
        window_end: isoTime(release.asOf),
      },
      feeds: pulseUrls(release.baseUrl, slug),
      webhook_contract: webhookContract(release.delivery),
      unavailable_event_classes: [...UNAVAILABLE_EVENT_CLASSES],
      events: events.map((event) => changeEvent(event, release.baseUrl)),
      ...cityEnvelope(release, [city]),
    };
  },
});

const NO_EVENTS: Readonly<Record<EventType, number>> = {
  new_public_record: 0,
  new_observed_asset: 0,
  new_wrapped_fleet_asset: 0,
  stale_asset: 0,
  digital_gap_detected: 0,
};

function eventCounts(snapshot: Snapshot, city: CityRow, since: number) {
  const counts = snapshot.eventCountsOf(city.slug, { since });
  return {
    total_events: counts.reduce((sum, { count }) => sum + count, 0),
    by_type: { ...NO_EVENTS, ...Object.fromEntries(counts.map(({ type, count }) => [type, count])) },
  };
}

export function changeEvent(event: EventRow, baseUrl: string): ChangeEvent {
  return {
    id: event.id,
    type: event.type,
    detected_at: isoTime(event.detectedAt),
    headline: event.headline,
    summary: event.summary,
    city: event.city,
    city_name: event.cityName,
    entity_public_id: event.recordPublicId,
    entity_name: event.recordName,
    is_synthetic: event.isSynthetic,
    record_url: recordUrl(baseUrl, event.recordPublicId),
    entity_row: event.record,
    asset_row: event.asset,
    industry: event.industry,
    asset_public_id: event.assetPublicId,
    asset_type: event.assetType,
    corridor: null,
    confidence: event.confidence,
    confidence_label: event.confidenceLabel,
    evidence_count: event.evidenceCount,
    verif_state: event.verifState,
    strongest_verif_state: event.strongestState,
    independent_observer_count: event.observerCount,
    months_looked_since: event.monthsLooked,
  };
}
