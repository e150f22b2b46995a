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

interface Place {
  readonly city: CityRow;
  readonly baseUrl: string;
}

/** A field of a ledger row as the API answers it, and the facts that it is made of. */
interface ObservationField<V = unknown> {
  readonly needs: readonly (keyof ObservationRow)[];
  readonly of: (facts: ObservationRow, place: Place) => V;
}

function from<Need extends keyof ObservationRow, V>(
  needs: readonly Need[],
  of: (facts: Pick<ObservationRow, Need>, place: Place) => V,
): ObservationField<V> {
  return { needs, of };
}

const copy = <Name extends keyof ObservationRow>(name: Name) => from([name], (facts) => facts[name]);
const always = <V>(value: V) => from([], () => value);
const time = (name: "observedAt" | "publishedAt") => from([name], (facts) => isoTime(facts[name]));

/** One ledger row for the observations list, the evidence packet (interface 2.8) and the tables of a city. */
export const OBSERVATION_FIELDS: {
  readonly [Name in keyof Observation]: ObservationField<Observation[Name]>;
} = {
  id: copy("id"),
  asset_id: copy("asset"),
  asset_public_id: copy("assetPublicId"),
  observer_tag: copy("observerTag"),
  source_type: copy("source"),
  source: copy("sourceId"),
  counts_as_independent: from(
    ["setAside", "state"],
    ({ setAside, state }) => setAside === null && state !== "rejected",
  ),
  set_aside: copy("setAside"),
  observed_on: from(["observedAt"], ({ observedAt }, { city }) => cityDate(observedAt, city.lng)),
  observed_at: time("observedAt"),
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
