import { NO_RESULT } from "../contract/claim-boundary.ts";
import type { EntitySummary, RankingGate } from "../contract/entity.ts";
import { OnlinePresence } from "../contract/enums.ts";
import { MAX_QUERY_TEXT } from "../contract/limits.ts";
import { SearchParams } from "../contract/params.ts";
import type { SearchResponse } from "../contract/search.ts";
import { CITY_DAYS, cityDay, count, industryText, number } from "../render/format.ts";
import { html, raw, type SafeHtml } from "../render/html.ts";
import { GATE_WORDS, ONLINE_CHOICES } from "../render/words.ts";
import type { ReadContext } from "../resources/define.ts";
import { presenceScore } from "../resources/presence-score.ts";
import { search as searchResource } from "../resources/search.ts";
import { checkCity, choicesOf, cityChoices, industryChoices, selectField, textField } from "./fields.ts";
import { type Asked, address, changed, given, pagePath, type View } from "./view.ts";

/** Records by name and filters. */

const SHOWN = 50;
const ANCHOR = "#results";

export const search: View = {
  name: "search",
  operation: "search_page",
  path: "/search/",
  parameters: SearchParams.pick({ name: true, city: true, industry: true, online_presence: true }).keyof()
    .options,
  isSlow: true,
  form,
  results,
  foundNothing: (region) => !region.includes('<ul class="found">'), // text that came in is escaped
};

function form(context: ReadContext, asked: Asked): SafeHtml {
  const field = (name: string) => ({ view: search.name, name, value: given(asked, name) });
  const isFiltered = search.parameters.some((name) => given(asked, name) !== undefined);
  const path = pagePath(search, asked.path);
  return html`<form class="form filters" action="${path}${ANCHOR}" role="search" aria-label="Records">
    ${textField({
      ...field("name"),
      label: "Name, or a part of it",
      attributes: html`type="search" maxlength="${MAX_QUERY_TEXT}" autocomplete="off"`,
    })}
    ${selectField({ ...field("city"), label: "City", any: "All cities", choices: cityChoices(context) })}
    ${selectField({
      ...field("industry"),
      label: "Industry",
      any: "All industries",
      choices: industryChoices(given(asked, "industry")),
    })}
    ${selectField({
      ...field("online_presence"),
      label: "Online presence",
      any: "Any",
      choices: choicesOf(OnlinePresence.options, ONLINE_CHOICES),
    })}
    <div class="do"><button type="submit" id="search-show">Search</button>${isFiltered && html` <a href="${path}">Clear</a>`}</div>
  </form>`;
}

function results(context: ReadContext, asked: Asked): SafeHtml {
  checkCity(context, given(asked, "city"));
  const answer = searchResource.read(context, {}, { ...asked.query, limit: String(SHOWN) });
  if (answer.count === 0) return nothing(answer, asked);
  return html`${heading(answer)}
    <p class="soft">${extent(answer)} ${CITY_DAYS}${answer.results.some(isSynthetic) && " What is marked synthetic is made up for demonstration."}</p>
    <ul class="found">${answer.results.map((record) => item(context, record))}</ul>`;
}

function heading({ query: { name } }: SearchResponse, what = "Records"): SafeHtml {
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${what}${name !== null && html` with “<bdi translate="no">${name}</bdi>” in their names`}</h2>`;
}

/** A search computes no total. */
function extent({ count: found }: SearchResponse): string {
  if (found < SHOWN) return `${count(found, "record", "records")}, most observed first.`;
  return `The first ${number(found)}, most observed first; there may be more. To narrow them, write more of the name, or choose a city or an industry.`;
}

const isSynthetic = ({ is_synthetic }: EntitySummary) => is_synthetic;

function item(context: ReadContext, record: EntitySummary): SafeHtml {
  const { public_id, name, city, first_observed_on: first, last_observed_on: last } = record;
  return html`<li>
    <a href="/record/${public_id}/"><bdi translate="no">${name}</bdi></a>
    ${record.is_synthetic && raw('<span class="tag warn">synthetic</span>')}
    <span class="under">${city !== null && html`<bdi>${city}</bdi> · `}${industryText(record.industry)}</span>
    <span class="under">${state(context, record)} · ${first === null ? "no accepted observation" : `first seen ${first}, last seen ${cityDay(last)}`}</span>
  </li>`;
}

/** How far a record has come: its rank, or what it still needs for one. */
function state(
  context: ReadContext,
  { public_id, ranking_state, ranking_gate, record_status }: EntitySummary,
): string {
  if (record_status === "dissolved") return "dissolved by a review";
  if (ranking_state === "ranked") {
    const { pbi_rank, pbi_cohort_size } = presenceScore.read(context, { public_id }, {});
    if (pbi_rank !== null && pbi_cohort_size !== null)
      return `ranked ${number(pbi_rank)} of ${number(pbi_cohort_size)} in its city`;
  }
  const needs = missing(ranking_gate);
  return GATE_WORDS[ranking_gate.status] + (needs.length > 0 ? `: ${needs.join(", ")}` : "");
}

function missing(gate: RankingGate): string[] {
  const requirements = [
    { name: "observers", ...gate.independent_observers },
    { name: "observations", ...gate.countable_observations },
    { name: "days", ...gate.observation_days },
  ];
  const unmet = requirements
    .filter(({ met }) => !met)
    .map(({ name, current, required }) => `${number(current)} of ${number(required)} ${name}`);
  const isSettled = gate.industry_classification.authoritative_for_ranking;
  return gate.status === "evidence_building" && !isSettled ? [...unmet, "industry not settled"] : unmet;
}

function nothing(answer: SearchResponse, asked: Asked): SafeHtml {
  const { name, city, industry, online_presence } = answer.query;
  const isFiltered = [city, industry, online_presence].some((filter) => filter !== null);
  const byName = address(
    pagePath(search, asked.path),
    changed(search, asked, { city: undefined, industry: undefined, online_presence: undefined }),
  );
  return html`${heading(answer, "No record")}
    <p>${NO_RESULT.meaning} ${NO_RESULT.limitation}</p>
    ${city !== null && html`<p>${answer.coverage_confidence.note}</p>`}
    <p>What to try:</p>
    <ul>
      ${name !== null && html`<li>a part of the name only, or another spelling: the search compares letters, not sounds</li>`}
      ${isFiltered && html`<li><a href="${byName}">${name === null ? "all records" : "the same name"} without filters</a></li>`}
      <li><a href="/coverage/">what has been looked at</a>, city by city</li>
    </ul>`;
}
