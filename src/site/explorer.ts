import { OPEN_LICENSE } from "../contract/records/claim-boundary.ts";
import { explorer } from "../views/explorer.ts";
import { columnMeanings } from "../views/explorer-table.ts";
import { pagePath } from "../views/view.ts";
import { SITE_NAME } from "./site.ts";

/** Texts of the explorer page; its form, chart and table are a view. */
export function explorerPage() {
  return {
    title: `Explorer · ${SITE_NAME}`,
    description:
      "Counts of physically observed records, assets and observations by city, industry, asset type and claim state, as a table, a chart and CSV.",
    canonical: pagePath(explorer, {}),
    alternates: [{ type: "text/csv", title: "All aggregates", href: "/exports/explorer.csv" }],
    columns: columnMeanings(),
    licence: OPEN_LICENSE,
  };
}
