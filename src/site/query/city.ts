/** The records of a city: filters, the ranking, and the way to its next page. */

import type { CityIndexResponse } from "../../contract/cities/city.ts";
import { CityIndexParams } from "../../contract/params.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import { argument, defineQueryPage, type PageInput, type PageState } from "./query-page.ts";

/** Records on a page: what comes after the table stays within reach, also on a phone. */
export const SHOWN_RECORDS = 10;

/** The heading of this part of the page. */
export const RECORDS_ANCHOR = "#records";

/** File of the records that a page shows, below the page; it takes the arguments of the page. */
export const RECORDS_CSV = "records.csv";

export const city = defineQueryPage({
  name: "city",
  operation: "city_page",
  path: "/city/{city}/",
  parameters: CityIndexParams.omit({ city: true, limit: true }).keyof().options,
  answer: (context, { path, query }) =>
    cityIndex.read(context, path, { ...query, limit: String(SHOWN_RECORDS) }),
  place: (shown: PageState<CityIndexResponse>) => ({ city: shown }),
});

const FILTERS = ["industry", "online_presence", "ranking_state", "claim_status"] as const;

/** Whether records were left out, and not only put into another order. */
export function leavesOut(input: PageInput): boolean {
  return FILTERS.some((name) => argument(input, name) !== undefined);
}
