import { ObservationsParams, RecordParams } from "../../contract/params.ts";
import { OBSERVATIONS_NOTE } from "../../contract/records/claim-boundary.ts";
import type { Asset } from "../../contract/records/entity.ts";
import { type Observation, ObservationsResponse } from "../../contract/records/observation.ts";
import { LEDGER_SCHEMA_VERSION } from "../../contract/versions.ts";
import { cityDate, isoTime } from "../../kernel/time.ts";
import type { AssetRow, CityRow, ObservationRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { envelope, observedSpan } from "../envelope.ts";
import { proofUrl } from "../links.ts";
import { pageStart, pagingFields } from "../paging.ts";
import { dayFilters, daysObserved, observedPeriod } from "./period.ts";
import { publicRecord, recordPaths } from "./record.ts";

export function assetWire(asset: AssetRow, city: CityRow): Asset {
  return {
    id: asset.id,
    public_id: asset.publicId,
    asset_type: asset.assetType,
    is_mobile: asset.isMobile,
    legibility_score: asset.legibility,
    ...observedSpan(asset, city.lng),
    status: asset.status,
    retired_by: asset.retiredBy,
    months_looked_since: asset.monthsLooked,
    observation_count: asset.observationCount,
    counting_observation_count: asset.observationCount - asset.setAsideCount,
  };
}

/** One ledger row for the observations list and the evidence packet (interface 2.8). */
export function observationWire(row: ObservationRow, city: CityRow, baseUrl: string): Observation {
  // The ledger has only the day of acceptance, which starts before most observations of that day.
  accepted_at: from(["acceptedAt", "observedAt"], ({ acceptedAt, observedAt }) =>
    isoTime(Math.max(acceptedAt, observedAt)),
  ),
  published_at: time("publishedAt"),
  reprocessed_at: always(null),
  derived_from_archive: copy("derivedFromArchive"),
  recognition_model_version: from(["stated"], ({ stated }) => stated.recognition_model_version),
  methodology_version: copy("methodologyVersion"),
  h3_cell: copy("cell"),
  observation_verification_state: copy("state"),
  verif_state: copy("state"),
  city: from([], (_, { city }) => city.name),
  region: from([], (_, { city }) => city.region),
  country: from([], (_, { city }) => city.country),
  presence_kind: copy("presenceKind"),
  physical_citation: from(["state"], ({ state }) => state !== "rejected"),
  ledger_schema_version: always(LEDGER_SCHEMA_VERSION),
  trust_weight: copy("trust"),
  changed_by: from(["changedBy"], ({ changedBy }) => [...changedBy]),
  ledger_hash: copy("ledgerHash"),
  proof_url: from(["id"], ({ id }, { baseUrl }) => proofUrl(baseUrl, id)),
  time_precision: always({
    observed_at: "day",
    accepted_at: "day",
    published_at: "second",
    reprocessed_at: "day",
  }),
};

const FIELDS = Object.entries(OBSERVATION_FIELDS);

export function observationWire(row: ObservationRow, city: CityRow, baseUrl: string): Observation {
  const wire: Observation = Object.create(Object.prototype);
  for (const [name, { of }] of FIELDS) wire[name] = of(row, { city, baseUrl });
  return wire;
}

export const observations = defineResource({
  operationId: "listObservations",
  path: "/api/v1/observations/{public_id}",
  summary: "List a record's ledger rows, newest first",
  description:
    "`since` applies to `published_at`, so polling never misses observations that were published late. `from` and `to` apply to `observed_on`; with one of them, `period` counts the observations between these days and cites their months. Rejected rows are listed and counted; redacted ones are omitted. For the next page, pass `next_cursor` as `cursor` with the same filters. All pages come from the first page's snapshot. 410 means that the snapshot has expired: restart without a cursor.",
  pathParams: RecordParams.shape,
  query: ObservationsParams.omit({ public_id: true }).shape,
  wire: ObservationsResponse,
  example: { path: { public_id: "ex_bakery" }, query: { since: "2026-06-01", limit: "3" } },
  errors: [400, 404, 410],
  enumerate: recordPaths,
  load(context, { public_id }, { since, from, to, cursor, limit }) {
    const current = publicRecord(context.snapshot, public_id); // regardless of the cursor
    if (current === undefined) return undefined;
    const list = {
      filters: ["observations", public_id, since ?? null, ...dayFilters({ from, to })],
      earlierSnapshot: (id: string) => context.citySnapshot(current.city.slug, id),
    };
    const { snapshot, offset } = pageStart(context, list, cursor);
    const subject = publicRecord(snapshot, public_id);
    if (subject === undefined) return undefined;
    const { record, city } = subject;
    const filters = {
      publishedSince: since === undefined ? undefined : Date.parse(since),
      observed: daysObserved({ from, to }, city),
    };
    const rows = snapshot.observationsOf(record.id, { ...filters, offset, limit });
    const total = snapshot.observationCountOf(record.id, filters);
    const place = { snapshotId: city.snapshotId, filters: list.filters, offset };
    return {
      public_id: record.publicId,
      city: city.slug,
      city_name: city.name,
      is_synthetic: record.isSynthetic,
      count: rows.length,
      total_count: total,
      ...pagingFields(place, rows.length, offset + rows.length < total),
      note: OBSERVATIONS_NOTE,
      period: observedPeriod(snapshot, subject, { from, to }),
      observations: rows.map((row) => observationWire(row, city, snapshot.release().baseUrl)),
      ...envelope(snapshot.release(), [city]),
    };
  },
});
