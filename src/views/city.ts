import type { CityIndexResponse } from "../contract/cities/city.ts";
import { CitySort, ClaimState, OnlinePresence, RankingState } from "../contract/enums.ts";
import { CityIndexParams } from "../contract/params.ts";
import { NO_RESULT } from "../contract/records/claim-boundary.ts";
import { html, type SafeHtml } from "../render/html.ts";
import { count, industryText, number } from "../render/words/format.ts";
import { CLAIM_CHOICES, ONLINE_CHOICES, RANKING_CHOICES, SORT_CHOICES } from "../render/words/words.ts";
import { cityIndex } from "../resources/cities/city-index.ts";
import { type CityIndustry, cityIndustries } from "../resources/cities/city-industries.ts";
import { rowsBefore } from "../resources/cursor.ts";
import type { ReadContext } from "../resources/define.ts";
import { type Choice, choicesOf, selectField } from "./fields.ts";
import { pager } from "./pager.ts";
import { rankingTable } from "./ranking-table.ts";
import { type Asked, address, changed, given, pagePath, type View } from "./view.ts";

/** The records of a city: filters, the ranking, and the way to its next page. */

const SHOWN = 50; // what comes after the table stays within reach
/** Where the page's heading of this part is, so that an address leads there. */
const ANCHOR = "#records";
const FILTERS = ["industry", "online_presence", "ranking_state", "claim_status"] as const;
/** No index has dissolved or merged records. */
const IN_INDEX = RankingState.exclude(["outside_ranking"]).options;
const DEFAULT_SORT = CitySort.enum.rank;

export const city: View = {
  name: "city",
  operation: "city_page",
  path: "/city/{city}/",
  parameters: CityIndexParams.omit({ city: true, limit: true }).keyof().options,
  isSlow: false,
  form,
  results,
};

function form(context: ReadContext, asked: Asked): SafeHtml {
  const path = pagePath(city, asked.path);
  const industry = given(asked, "industry");
  const industries = cityIndustries(context, asked.path["city"] ?? "");
  const isFiltered = city.parameters.some((name) => given(asked, name) !== undefined);
  return html`<form class="form filters" action="${path}${ANCHOR}">
    ${selectField({
      view: city.name,
      name: "industry",
      label: "Industry",
      any: "All industries",
      value: industry,
      choices: [...otherIndustry(industries, industry), ...bySection(industries)],
    })}
    ${selectField({
      view: city.name,
      name: "online_presence",
      label: "Online presence",
      any: "Any",
      value: given(asked, "online_presence"),
      choices: choicesOf(OnlinePresence.options, ONLINE_CHOICES),
    })}
    ${selectField({
      view: city.name,
      name: "ranking_state",
      label: "Ranking",
      any: "Any",
      value: given(asked, "ranking_state"),
      choices: choicesOf(IN_INDEX, RANKING_CHOICES),
    })}
    ${selectField({
      view: city.name,
      name: "claim_status",
      label: "Claim",
      any: "Any",
      value: given(asked, "claim_status"),
      choices: choicesOf(ClaimState.options, CLAIM_CHOICES),
    })}
    ${selectField({
      view: city.name,
      name: "sort",
      label: "Order",
      value: given(asked, "sort"),
      choices: choicesOf(CitySort.options, SORT_CHOICES),
    })}
    <div class="do"><button type="submit" id="city-show">Show</button>${isFiltered && html` <a href="${path}${ANCHOR}">Show all</a>`}</div>
  </form>`;
}

/** A choice for each industry, those of a section together. */
function bySection(industries: readonly CityIndustry[]) {
  return [...Map.groupBy(industries, ({ section }) => section).values()].map((group) => ({
    label: group[0]?.title ?? "",
    choices: group.map(
      ({ code, title, level, records }): Choice => ({
        value: code,
        label: `${level === "section" ? `All of: ${title}` : title} (${number(records)})`,
      }),
    ),
  }));
}

/** What was asked for stays chosen, though the city has no record of exactly that. */
function otherIndustry(industries: readonly CityIndustry[], asked: string | undefined): Choice[] {
  const label = industryText(asked ?? null);
  const isOther = asked !== undefined && label !== asked && !industries.some(({ code }) => code === asked);
  return isOther ? [{ value: asked, label }] : [];
}

function results(context: ReadContext, asked: Asked): SafeHtml {
  const answer = cityIndex.read(context, asked.path, { ...asked.query, limit: String(SHOWN) });
  const isFiltered = FILTERS.some((name) => given(asked, name) !== undefined);
  if (answer.total_count === 0) return isFiltered ? nothing(answer) : NOTHING_YET;
  const before = rowsBefore(given(asked, "cursor"));
  const page = `${number(before + 1)} to ${number(before + answer.returned_count)}`;
  const next = Math.min(SHOWN, answer.total_count - before - answer.returned_count);
  const to = (changes: Readonly<Record<string, string | undefined>>) =>
    address(pagePath(city, asked.path), changed(city, asked, changes)) + ANCHOR;
  const sort = CitySort.catch(DEFAULT_SORT).parse(given(asked, "sort"));
  const sortedBy = (by: CitySort) => to({ cursor: undefined, sort: by === DEFAULT_SORT ? undefined : by });
  return html`<h3 tabindex="-1" data-heading data-summary>${page} of ${count(answer.total_count, "record", "records")}</h3>
    ${rankingTable(answer.rankings, { sort, sortedBy })}
    ${pager({ before, cursor: answer.next_cursor, next: `Next ${number(next)}`, to })}`;
}

const NOTHING_YET = html`<p data-summary>No record is published here yet, which says nothing about what is there.</p>`;

function nothing({ coverage_confidence: { note } }: CityIndexResponse): SafeHtml {
  return html`<h3 tabindex="-1" data-heading data-summary>No record matches</h3>
    <p>${NO_RESULT.limitation} ${note}</p>
    <p>Remove a filter to see more records.</p>`;
}
