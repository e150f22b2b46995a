import { OBSERVATIONS_NOTE } from "../contract/claim-boundary.ts";
import { ObservationsResponse } from "../contract/observation.ts";
import { ObservationsParams, RecordParams } from "../contract/params.ts";
import { defineResource } from "./define.ts";
import { envelope } from "./envelope.ts";
import { observationWire } from "./observation-wire.ts";
import { publicRecord, recordPaths } from "./public-record.ts";

export const observations = defineResource({
  operationId: "listObservations",
  path: "/api/v1/observations/{public_id}",
  summary: "The ledger rows of a record, newest first",
  description:
    "`since` compares `published_at`, so that a poller misses nothing that was observed earlier and published later. Redacted rows are left out.",
  pathParams: RecordParams.shape,
  query: ObservationsParams.omit({ public_id: true }).shape,
  wire: ObservationsResponse,
  example: { path: { public_id: "ex_bakery" }, query: { since: "2026-06-01", limit: "3" } },
  errors: [400, 404],
  enumerate: recordPaths,
  load({ snapshot }, { public_id }, { since, limit }) {
    const found = publicRecord(snapshot, public_id);
    if (found === undefined) return undefined;
    const { record, city } = found;
    const publishedSince = since === undefined ? undefined : Date.parse(since);
    const rows = snapshot.observationsOf(record.id, { publishedSince, limit });
    return {
      public_id: record.publicId,
      is_synthetic: record.isSynthetic,
      count: rows.length,
      note: OBSERVATIONS_NOTE,
      observations: rows.map((row) => observationWire(row, city, snapshot.release().baseUrl)),
      ...envelope(snapshot.release(), [city]),
    };
  },
});
