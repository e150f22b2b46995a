import { z } from "zod";
import { MAX_TABLE_ROWS } from "../../contract/limits.ts";
import { ObservationTableParams, RecordParams } from "../../contract/params.ts";
import { ObservationTableRow } from "../../contract/service/city-tables.ts";
import { defineResource } from "../define.ts";
import { termsUrl } from "../links.ts";
import { observationWire } from "./observations.ts";
import { daysObserved } from "./period.ts";
import { publicRecord } from "./record.ts";

/** The observations of a record between two days as a table for people: beside its page, and never a file. */
export const observationTable = defineResource({
  operationId: "exportRecordObservations",
  path: "/record/{record}/observations.csv",
  summary: "Export a record's ledger rows as CSV",
  description: `Newest first, at most ${MAX_TABLE_ROWS} rows. The terms of the service apply to them.`,
  pathParams: { record: RecordParams.shape.public_id },
  query: ObservationTableParams.shape,
  wire: z.array(ObservationTableRow),
  example: { path: { record: "ex_bakery" }, query: { from: "2026-06" } },
  errors: [400, 404],
  enumerate: () => [],
  load({ snapshot }, { record: publicId }, days) {
    const subject = publicRecord(snapshot, publicId);
    if (subject === undefined) return undefined;
    const { record, city } = subject;
    const { baseUrl } = snapshot.release();
    const keys = { city_slug: city.slug, record_public_id: record.publicId, terms: termsUrl(baseUrl) };
    return snapshot
      .observationsOf(record.id, { observed: daysObserved(days, city), limit: MAX_TABLE_ROWS })
      .map((row) => ({ ...observationWire(row, city, baseUrl), ...keys }));
  },
});
