import { AVERAGES_NOTE, EXPLORER_COLUMNS, ExplorerRow } from "../contract/cities/explorer.ts";
import { type HtmlValue, html, raw, type SafeHtml } from "../render/html.ts";
import { CITY_DAYS, industryText, number, score } from "../render/words/format.ts";
import { ASSET_TYPE_WORDS, CLAIM_CHOICES } from "../render/words/words.ts";
import type { ReadContext } from "../resources/define.ts";

/** The rows of the explorer as a table, in the order of the CSV's columns. */

interface Column {
  readonly head: string;
  readonly kind: "number" | "nowrap" | "words";
  show(row: ExplorerRow, context: ReadContext): HtmlValue;
}

const COLUMNS: Readonly<Record<keyof ExplorerRow, Column>> = {
  city: {
    head: "City",
    kind: "nowrap",
    show: ({ city }, { snapshot }) =>
      html`<a href="/city/${city}/"><bdi>${snapshot.city(city)?.name ?? city}</bdi></a>`,
  },
  industry: { head: "Industry", kind: "words", show: ({ industry }) => industryText(industry) },
  asset_type: {
    head: "Kind of asset",
    kind: "nowrap",
    show: ({ asset_type }) => ASSET_TYPE_WORDS[asset_type],
  },
  claim_state: { head: "Claim", kind: "nowrap", show: ({ claim_state }) => CLAIM_CHOICES[claim_state] },
  entities: { head: "Records", kind: "number", show: ({ entities }) => number(entities) },
  observations: { head: "Observations", kind: "number", show: ({ observations }) => number(observations) },
  observed_cells: { head: "Map cells", kind: "number", show: (row) => number(row.observed_cells) },
  coverage_level: {
    head: "Density of the city",
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
  first_observed: {
    head: "First seen",
    kind: "nowrap",
    show: ({ first_observed }) => first_observed ?? "–",
  },
  last_observed: {
    head: "Last seen",
    kind: "nowrap",
    show: ({ last_observed }) => last_observed ?? "–",
  },
};

const CAPTION = `Aggregates by city, industry, kind of asset and claim, most observations first. A record with assets of several kinds is in several rows. A low number in a thinly observed city says little. ${AVERAGES_NOTE} ${CITY_DAYS}`;

export function explorerTable(context: ReadContext, rows: readonly ExplorerRow[]): SafeHtml {
  return html`<div class="scroll" role="region" aria-label="Aggregates" tabindex="0"><table>
    <caption><span>${CAPTION}</span></caption>
    <thead><tr>${EXPLORER_COLUMNS.map((name) => html`<th scope="col"${kindOf(name)}>${COLUMNS[name].head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${EXPLORER_COLUMNS.map((name, at) => cell(context, row, name, at === 0))}</tr>`)}</tbody>
  </table></div>`;
}

function cell(context: ReadContext, row: ExplorerRow, name: keyof ExplorerRow, isHead: boolean): SafeHtml {
  const shown = COLUMNS[name].show(row, context);
  return isHead ? html`<th scope="row"${kindOf(name)}>${shown}</th>` : html`<td${kindOf(name)}>${shown}</td>`;
}

function kindOf(name: keyof ExplorerRow): SafeHtml {
  return raw(` class="${COLUMNS[name].kind}"`);
}

/** What each column of table and CSV means: its name here, its name there, and the words of the contract. */
export function columnMeanings(): { head: string; name: string; meaning: string }[] {
  return EXPLORER_COLUMNS.map((name) => ({
    head: COLUMNS[name].head,
    name,
    meaning: ExplorerRow.shape[name].description ?? "",
  }));
}
