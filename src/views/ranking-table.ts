import type { RankedEntity } from "../contract/cities/city.ts";
import type { CitySort } from "../contract/enums.ts";
import { html, raw, type SafeHtml } from "../render/html.ts";
import { CITY_DAYS, cityDay, industryText, number, score } from "../render/words/format.ts";
import { GATE_WORDS } from "../render/words/words.ts";

/** A column by which the list can be sorted, and the order it then has. */
interface SortedBy {
  readonly sort: CitySort;
  readonly order: "ascending" | "descending";
}

interface Column {
  readonly head: string;
  readonly isNumber: boolean;
  readonly by?: SortedBy;
}

const COLUMNS: readonly Column[] = [
  { head: "Rank", isNumber: true, by: { sort: "rank", order: "ascending" } },
  { head: "Record", isNumber: false, by: { sort: "name", order: "ascending" } },
  { head: "PPS", isNumber: true },
  { head: "Observers", isNumber: true },
  { head: "Observations", isNumber: true }, // the order by observations counts those of all time
  { head: "Last seen", isNumber: false, by: { sort: "last_observed", order: "descending" } },
];

interface Options {
  readonly sort: CitySort;
  /** The address of the same list in another order. */
  readonly sortedBy: (sort: CitySort) => string;
}

const CAPTION = `The Physical Presence Score (PPS, 0 to 100) compares the physical evidence of the ranked records of this city; 50 is the middle. It is no judgement of a business. Ranks are those of the whole city, whatever the filters. Counts are of the last 365 days. ${CITY_DAYS}`;

/** Records of a city with their ranks; the heads of some columns lead to the same list in another order. */
export function rankingTable(rankings: readonly RankedEntity[], options: Options): SafeHtml {
  return html`<div class="scroll" role="region" aria-label="Records of the city" tabindex="0"><table>
    <caption><span>${CAPTION}</span></caption>
    <thead><tr>${COLUMNS.map((column) => columnHead(column, options))}</tr></thead>
    <tbody>${rankings.map(row)}</tbody>
  </table></div>`;
}

function columnHead({ head, isNumber, by }: Column, { sort, sortedBy }: Options): SafeHtml {
  const kind = isNumber && raw(' class="number"');
  if (by === undefined) return html`<th scope="col"${kind}>${head}</th>`;
  const order = by.sort === sort && html` aria-sort="${by.order}"`;
  return html`<th scope="col"${kind}${order}><a class="sort" id="city-sort-${by.sort}" href="${sortedBy(by.sort)}">${head}</a></th>`;
}

function row(record: RankedEntity): SafeHtml {
  return html`<tr>
    <td class="number">${record.rank ?? "–"}</td>
    <th scope="row">
      <a href="/record/${record.public_id}/"><bdi translate="no">${record.name}</bdi></a>
      <span class="under">${industryText(record.industry)}</span>
      ${record.rank === null && html`<span class="under"><span class="tag">${GATE_WORDS[record.ranking_gate.status]}</span> ${record.ranking_reason}</span>`}
    </th>
    <td class="number">${score(record.pps)}</td>
    <td class="number">${number(record.independent_observer_count)}</td>
    <td class="number">${number(record.independent_observation_count)}</td>
    <td class="nowrap">${cityDay(record.last_observed_on)}</td>
  </tr>`;
}
