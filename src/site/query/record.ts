/** The rows of a record between two days, and the way to the next page. */

import { ObservationsParams } from "../../contract/params.ts";
import { ObservationsResponse } from "../../contract/records/observation.ts";
import { observations } from "../../resources/records/observations.ts";
import { defineQueryPage, type PageState } from "./query-page.ts";

const SHOWN_ROWS = 50;

/** With a filter all rows of the record are read, so another thread does it. */
export const record = defineQueryPage({
  name: "record",
  operation: "record_page",
  path: "/record/{public_id}/",
  parameters: ObservationsParams.pick({ from: true, to: true, cursor: true }).keyof().options,
  wire: ObservationsResponse,
  answer: (context, { path, query }) =>
    observations.read(context, path, { ...query, limit: String(SHOWN_ROWS) }),
  place: (shown: PageState<ObservationsResponse>) => ({ record: shown }),
});
