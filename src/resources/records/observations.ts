import { ObservationsParams, RecordParams } from "../../contract/params.ts";
import { OBSERVATIONS_NOTE } from "../../contract/records/claim-boundary.ts";
import type { Asset, LastSeen } from "../../contract/records/entity.ts";
import {
  evidenceStateWords,
  markedName,
  type Observation,
  ObservationsResponse,
} from "../../contract/records/observation.ts";
import { LEDGER_SCHEMA_VERSION } from "../../contract/versions.ts";
import { cityDate, isoTime } from "../../kernel/time.ts";
import type { AssetRow, CitedEvidence, CityRow, ObservationRow, RecordRow } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { envelope, observedSpan } from "../envelope.ts";
import { proofUrl } from "../links.ts";
import { pageStart, pagingFields } from "../paging.ts";
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

/** When the record was last seen, by its assets; null where none has an accepted observation. Ties go to the first asset. */
export function lastSeen(
  record: Pick<RecordRow, "name" | "isSynthetic">,
  assets: readonly AssetRow[],
  { lng }: Pick<CityRow, "lng">,
  { newest, observers, accepted }: CitedEvidence,
): LastSeen | null {
  const last = assets.reduce<AssetRow | undefined>(
    (newest, asset) => ((asset.lastObserved ?? 0) > (newest?.lastObserved ?? 0) ? asset : newest),
    undefined,
  );
  if (last === undefined || last.lastObserved === null || newest === null) return null;
  const date = cityDate(last.lastObserved, lng);
  return {
    last_observed_on: date,
    asset_status: last.status,
    months_looked_since: last.monthsLooked,
    note: `${markedName(record)} was last seen ${date} (${evidenceStateWords({ state: newest.state, observers, citations: accepted })})${lookedWords(last.monthsLooked)}.`,
  };
}

function lookedWords(months: number | null): string {
  if (months === null) return ""; // nobody looks for a vehicle
  if (months === 0) return "; no later month of visits to its area is published";
  return `; its area was visited in ${months} later month${months === 1 ? "" : "s"} without a sighting`;
}

/** One ledger row for the observations list and the evidence packet (interface 2.8). */
export function observationWire(row: ObservationRow, city: CityRow, baseUrl: string): Observation {
  // The ledger has only the day of acceptance, which starts before most observations of that day.
  const acceptedAt = Math.max(row.acceptedAt, row.observedAt);
  return {
    id: row.id,
    asset_id: row.asset,
    asset_public_id: row.assetPublicId,
    observer_tag: row.observerTag,
    source_type: row.source,
    source: row.sourceId,
    counts_as_independent: row.setAside === null && row.state !== "rejected",
    set_aside: row.setAside,
    observed_on: cityDate(row.observedAt, city.lng),
    observed_at: isoTime(row.observedAt),
    accepted_at: isoTime(acceptedAt),
    published_at: isoTime(row.publishedAt),
    reprocessed_at: null,
    derived_from_archive: row.derivedFromArchive,
    ...row.stated,
    methodology_version: row.methodologyVersion,
    h3_cell: row.cell,
    observation_verification_state: row.state,
    verif_state: row.state,
    city: city.name,
    region: city.region,
    country: city.country,
    presence_kind: row.presenceKind,
    physical_citation: row.state !== "rejected",
    ledger_schema_version: LEDGER_SCHEMA_VERSION,
    trust_weight: row.trust,
    changed_by: [...row.changedBy],
    ledger_hash: row.ledgerHash,
    proof_url: proofUrl(baseUrl, row.id),
    time_precision: {
      observed_at: "day",
      accepted_at: "day",
      published_at: "second",
      reprocessed_at: "day",
    },
  };
}

export const observations = defineResource({
  operationId: "listObservations",
  path: "/api/v1/observations/{public_id}",
  summary: "List a record's ledger rows, newest first",
  description:
    "`since` applies to `published_at`, so polling never misses observations that were published late. Rejected rows are listed and counted; redacted ones are omitted. For the next page, pass `next_cursor` as `cursor` with the same `since`. All pages come from the first page's snapshot. 410 means that the snapshot has expired: restart without a cursor.",
  pathParams: RecordParams.shape,
  query: ObservationsParams.omit({ public_id: true }).shape,
  wire: ObservationsResponse,
  example: { path: { public_id: "ex_bakery" }, query: { since: "2026-06-01", limit: "3" } },
  errors: [400, 404, 410],
  enumerate: recordPaths,
  load(context, { public_id }, { since, cursor, limit }) {
    const current = publicRecord(context.snapshot, public_id); // regardless of the cursor
    if (current === undefined) return undefined;
    const list = {
      filters: ["observations", public_id, since ?? null],
      earlierSnapshot: (id: string) => context.citySnapshot(current.city.slug, id),
    };
    const { snapshot, offset } = pageStart(context, list, cursor);
    const subject = publicRecord(snapshot, public_id);
    if (subject === undefined) return undefined;
    const { record, city } = subject;
    const published = { publishedSince: since === undefined ? undefined : Date.parse(since) };
    const rows = snapshot.observationsOf(record.id, { ...published, offset, limit });
    const total = snapshot.observationCountOf(record.id, published);
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
      observations: rows.map((row) => observationWire(row, city, snapshot.release().baseUrl)),
      ...envelope(snapshot.release(), [city]),
    };
  },
});
