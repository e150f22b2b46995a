/** Records that a page shows, as CSV: under the page's own address, with the arguments of the page. */

import type { EntitySummary } from "../../contract/records/entity.ts";
import { fillPath } from "../../kernel/text/markup.ts";
import { CSV_TYPE } from "../../render/formats/media-types.ts";
import { tableCsv } from "../../render/formats/tables.ts";
import { cityPaths } from "../../resources/cities/cities.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import type { PathValues, QueryValues, ReadContext } from "../../resources/define.ts";
import { search } from "../../resources/records/search.ts";
import { city, RECORDS_CSV } from "../query/city.ts";
import { search as searchPage } from "../query/search.ts";

const COLUMNS = [
  "public_id",
  "name",
  "city",
  "industry",
  "pps",
  "pps_without_any_one_observer",
  "ranking_state",
  "independent_observer_count",
  "independent_observation_count",
  "first_observed_on",
  "last_observed_on",
  "record_url",
  "is_synthetic",
  "data_as_of",
  "terms",
] as const;
const RANKED_COLUMNS = [...COLUMNS.slice(0, 4), "rank", ...COLUMNS.slice(4)] as const;

export const recordTableRoutes = [
  {
    ...tableRoute("exportCityRecords", `${city.path}${RECORDS_CSV}`),
    enumerate: cityPaths,
    answer(context: ReadContext, path: PathValues, query: QueryValues) {
      const { rankings, data_as_of } = cityIndex.read(context, path, query);
      return tableCsv(RANKED_COLUMNS, rankings.map(completed(context, data_as_of)));
    },
  },
  {
    ...tableRoute("exportFoundRecords", `${searchPage.path}${RECORDS_CSV}`),
    enumerate: () => [{}],
    answer(context: ReadContext, path: PathValues, query: QueryValues) {
      const { results, data_as_of } = search.read(context, path, query);
      return tableCsv(COLUMNS, results.map(completed(context, data_as_of)));
    },
  },
];

function tableRoute(operationId: string, path: `/${string}`) {
  const filePath = (values: PathValues) => fillPath(path, values).slice(1);
  return { operationId, path, contentType: CSV_TYPE, ignoresUnknownQuery: false, filePath };
}

function completed({ snapshot }: ReadContext, asOf: string) {
  const terms = `${snapshot.release().baseUrl}/terms/`;
  return <Row extends EntitySummary>(record: Row) => ({ ...record, data_as_of: asOf, terms });
}
