import { OPEN_LICENSE } from "../../contract/records/claim-boundary.ts";
import { explorer } from "../query/explorer.ts";
import { SITE_NAME } from "../site.ts";
import { columnMeanings } from "./explorer-columns.ts";

/** Texts of the explorer page around its form, chart and table. */
export function explorerPage() {
  return {
    title: `Explorer · ${SITE_NAME}`,
    description:
      "Counts of physically observed records, assets and observations by city, industry, asset type and claim state, as a table, a chart and CSV.",
    canonical: explorer.path,
    alternates: [{ type: "text/csv", title: "All aggregates", href: "/exports/explorer.csv" }],
    columns: columnMeanings(),
    licence: OPEN_LICENSE,
  };
}
