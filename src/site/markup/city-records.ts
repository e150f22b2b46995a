/** Records of a city: the form, the ranking, and the way to its next page. */

import type { CityIndexResponse, RankedEntity } from "../../contract/cities/city.ts";
import { CitySort, ClaimState, OnlinePresence, RankingState } from "../../contract/enums.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, cityDay, count, industryText, number } from "../../render/words/format.ts";
import { recordState, unrankedText } from "../../render/words/record-words.ts";
import { CLAIM_CHOICES, ONLINE_CHOICES, RANKING_CHOICES, SORT_CHOICES } from "../../render/words/words.ts";
import { rowsBefore } from "../../resources/paging.ts";
import { choicesOf, cityIndustryChoices, otherIndustry } from "../query/choices.ts";
import { city, leavesOut, RECORDS_ANCHOR, RECORDS_CSV, SHOWN_RECORDS } from "../query/city.ts";
import { address, argument, changed, isFiltered, type PageInput, pagePath } from "../query/query-page.ts";
import type { Site } from "../site.ts";
import { recordsDownload, scrollTable } from "./parts.ts";
import { pager, selectField, sortableHead } from "./query-parts.ts";

const IN_INDEX = RankingState.exclude(["outside_ranking"]).options; // no index has dissolved or merged records

export function cityForm(site: Site, input: PageInput): SafeHtml {
  const page = city.name;
  const path = pagePath(city, input.path);
  const industry = argument(input, "industry");
  const industries = cityIndustryChoices(site, input.path["city"] ?? "");
  const value = (name: string) => argument(input, name);
  return html`<form class="form filters" action="${path + RECORDS_ANCHOR}">
    ${selectField({ page, name: "industry", label: "Industry", any: "All industries", value: industry, choices: [...otherIndustry(industries, industry), ...industries] })}
    ${selectField({ page, name: "online_presence", label: "Online presence", any: "Any", value: value("online_presence"), choices: choicesOf(OnlinePresence.options, ONLINE_CHOICES) })}
    ${selectField({ page, name: "ranking_state", label: "Ranking", any: "Any", value: value("ranking_state"), choices: choicesOf(IN_INDEX, RANKING_CHOICES) })}
    ${selectField({ page, name: "claim_status", label: "Claim", any: "Any", value: value("claim_status"), choices: choicesOf(ClaimState.options, CLAIM_CHOICES) })}
    ${selectField({ page, name: "sort", label: "Order", value: value("sort"), choices: choicesOf(CitySort.options, SORT_CHOICES) })}
    <div class="do"><button type="submit" id="city-show">Show</button>${isFiltered(city, input) && html` <a href="${path + RECORDS_ANCHOR}">Show all</a>`}</div>
  </form>`;
}

/** The records that were asked for, or what it means that there is none. */
export function cityRecords(input: PageInput, answer: CityIndexResponse): SafeHtml {
  if (answer.total_count > 0) return records(input, answer);
  if (!leavesOut(input)) return NOTHING_PUBLISHED;
  return html`<h3 tabindex="-1" data-heading data-summary>No record matches</h3>
    <p>${NO_RESULT.limitation} ${answer.coverage_confidence.note}</p>
    <p>Remove a filter to see more records.</p>`;
}

const NOTHING_PUBLISHED = html`<p data-summary>No record is published here yet, which says nothing about what is there.</p>`;

const CAPTION = `The score (PPS, 0 to 100) compares the evidence of this city's ranked records; 50 is the middle. It does not judge a business. The score without its strongest observer breaks ties. Ranks cover the whole city, whatever the filters. Counts are of the last 365 days. ${CITY_DAYS}`;

function records(input: PageInput, answer: CityIndexResponse): SafeHtml {
  const { total_count: total, returned_count: returned } = answer;
  const before = rowsBefore(argument(input, "cursor"));
  const path = pagePath(city, input.path);
  const to = (changes: Readonly<Record<string, string | undefined>>) =>
    address(path, changed(city, input, changes)) + RECORDS_ANCHOR;
  const csv = address(path + RECORDS_CSV, { ...changed(city, input, {}), limit: String(SHOWN_RECORDS) });
  return html`<h3 tabindex="-1" data-heading data-summary>${number(before + 1)} to ${number(before + returned)} of ${count(total, "record", "records")}</h3>
  ${scrollTable(
    { label: "Records of the city", caption: CAPTION, stack: true },
    html`<thead>
        <tr>
          ${heads(input, to)}
        </tr>
      </thead>
      <tbody>
        ${answer.rankings.map(row)}
      </tbody>`,
  )}
  ${pager({ before, cursor: answer.next_cursor, next: `Next ${number(Math.min(SHOWN_RECORDS, total - before - returned))}`, to })}
  ${recordsDownload(csv, "Download these records as CSV")}`;
}

interface Column {
  readonly text: string;
  readonly kind?: "number";
  readonly by?: { readonly sort: CitySort; readonly order: "ascending" | "descending" };
}

const STRONGEST = "Score without its strongest observer";

const COLUMNS: readonly Column[] = [
  { text: "Rank", kind: "number", by: { sort: "rank", order: "ascending" } },
  { text: "Record", by: { sort: "name", order: "ascending" } },
  { text: "Score", kind: "number" },
  { text: STRONGEST, kind: "number" },
  { text: "Observers", kind: "number" },
  { text: "Observations", kind: "number" }, // the order by observations counts those of all time
  { text: "Last seen", by: { sort: "last_observed", order: "descending" } },
];

const DEFAULT_SORT = CitySort.enum.rank;

function heads(
  input: PageInput,
  to: (changes: Readonly<Record<string, string | undefined>>) => string,
): SafeHtml[] {
  const sort = CitySort.catch(DEFAULT_SORT).parse(argument(input, "sort"));
  return COLUMNS.map(({ by, ...column }) =>
    sortableHead({
      id: `city-sort-${by?.sort}`,
      ...column,
      href: by && to({ cursor: undefined, sort: by.sort === DEFAULT_SORT ? undefined : by.sort }),
      sorted: by?.sort === sort && by.order,
    }),
  );
}

function row(record: RankedEntity): SafeHtml {
  return html`<tr>
    <td class="number" data-label="Rank">${record.rank ?? NONE_YET}</td>
    <th scope="row">
      <a href="/record/${record.public_id}/"><bdi translate="no">${record.name}</bdi></a>
      <span class="under">${industryText(record.industry)}</span>
      ${record.rank === null && html`<span class="under"><span class="tag">${recordState(record).label}</span> ${unrankedText(record)}</span>`}
    </th>
    <td class="number" data-label="Score">${record.pps?.toFixed(2) ?? NONE_YET}</td>
    <td class="number full" data-label="${STRONGEST}">${record.pps_without_any_one_observer?.toFixed(2) ?? NONE_YET}</td>
    <td class="number" data-label="Observers">${number(record.independent_observer_count)}</td>
    <td class="number" data-label="Observations">${number(record.independent_observation_count)}</td>
    <td class="nowrap full" data-label="Last seen">${cityDay(record.last_observed_on)}</td>
  </tr>`;
}

const NONE_YET = html`<span class="soft">none yet</span>`;
