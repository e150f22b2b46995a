import { ObservationsParams, RecordParams } from "../../contract/params.ts";
import { OBSERVATIONS_NOTE } from "../../contract/records/claim-boundary.ts";
import { ObservationsResponse } from "../../contract/records/observation.ts";
import { defineResource } from "../define.ts";
import { envelope } from "../envelope.ts";
import { pageStart, wayOn } from "../frozen-list.ts";
import { observationWire } from "./observation-wire.ts";
import { publicRecord, recordPaths } from "./public-record.ts";

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
      keptSnapshot: (id: string) => context.citySnapshot(current.city.slug, id),
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
      is_synthetic: record.isSynthetic,
      count: rows.length,
      total_count: total,
      ...wayOn(place, rows.length, offset + rows.length < total),
      note: OBSERVATIONS_NOTE,
      observations: rows.map((row) => observationWire(row, city, snapshot.release().baseUrl)),
      ...envelope(snapshot.release(), [city]),
    };
  },
});
