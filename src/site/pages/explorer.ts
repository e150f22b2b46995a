import { EXPLORER_COLUMNS, ExplorerRow } from "../../contract/cities/explorer.ts";
import { industryText, number, score } from "../../render/words/format.ts";
import { ASSET_TYPE_WORDS, CLAIM_CHOICES } from "../../render/words/words.ts";

/** The columns of the explorer's table, in the order of the CSV's. */

interface Column {
  readonly head: string;
  readonly kind: "number" | "nowrap" | "words";
  show(row: ExplorerRow): string;
}

const HEADS: Readonly<Record<keyof ExplorerRow, Column>> = {
  city: { head: "City", kind: "nowrap", show: ({ city }) => city }, // the table has its name and a link
  industry: { head: "Industry", kind: "words", show: ({ industry }) => industryText(industry) },
  asset_type: { head: "Kind of asset", kind: "nowrap", show: (row) => ASSET_TYPE_WORDS[row.asset_type] },
  claim_state: { head: "Claim", kind: "nowrap", show: ({ claim_state }) => CLAIM_CHOICES[claim_state] },
  entities: { head: "Records", kind: "number", show: ({ entities }) => number(entities) },
  observations: { head: "Observations", kind: "number", show: ({ observations }) => number(observations) },
  observed_cells: { head: "Map cells", kind: "number", show: (row) => number(row.observed_cells) },
  coverage_level: {
    head: "Coverage level",
    kind: "nowrap",
    show: ({ coverage_level }) => coverage_level,
  },
  assets: { head: "Assets", kind: "number", show: ({ assets }) => number(assets) },
  avg_pps: { head: "Average PPS (0–100)", kind: "number", show: ({ avg_pps }) => score(avg_pps) },
  avg_percentile: {
    head: "Average percentile (0–100)",
    kind: "number",
    show: (row) => score(row.avg_percentile),
  },
  first_observed: { head: "First seen", kind: "nowrap", show: ({ first_observed }) => first_observed ?? "–" },
  last_observed: { head: "Last seen", kind: "nowrap", show: ({ last_observed }) => last_observed ?? "–" },
};

export const COLUMNS = EXPLORER_COLUMNS.map((name) => ({ name, ...HEADS[name] }));

/** What each column of table and CSV means: its name here, its name there, and the words of the contract. */
export function columnMeanings(): { head: string; name: string; meaning: string }[] {
  return COLUMNS.map(({ head, name }) => ({
    head,
    name,
    meaning: ExplorerRow.shape[name].description ?? "",
  }));
}
