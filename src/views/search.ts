import { OnlinePresence } from "../contract/enums.ts";
import { MAX_QUERY_TEXT, NEAR } from "../contract/limits.ts";
import { SearchParams } from "../contract/params.ts";
import { NO_RESULT } from "../contract/records/claim-boundary.ts";
import type { EntitySummary, RankingGate } from "../contract/records/entity.ts";
import type { SearchResponse } from "../contract/records/search.ts";
import { html, raw, type SafeHtml } from "../render/html.ts";
import { CITY_DAYS, cityDay, count, industryText, number } from "../render/words/format.ts";
import { GATE_WORDS, ONLINE_CHOICES } from "../render/words/words.ts";
import { rowsBefore } from "../resources/cursor.ts";
import type { ReadContext } from "../resources/define.ts";
import { sparsest } from "../resources/envelope.ts";
import { presenceScore } from "../resources/records/presence-score.ts";
import { search as searchResource } from "../resources/records/search.ts";
import { searchedCities } from "../resources/records/searched-cities.ts";
import { choicesOf, cityChoices, industryChoices, selectField, textField } from "./fields.ts";
import { pager } from "./pager.ts";
import { type Asked, address, changed, given, pagePath, type View } from "./view.ts";

/** Records by name and filters. */

const SHOWN = 50;
const ANCHOR = "#results";

export const search: View = {
  name: "search",
  operation: "search_page",
  path: "/search/",
  parameters: SearchParams.omit({ name_match: true, limit: true }).keyof().options,
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
    ${textField({
      ...field("website"),
      label: "Website",
      attributes: html`type="text" inputmode="url" maxlength="${MAX_QUERY_TEXT}" autocomplete="off" spellcheck="false"`,
    })}
    ${nearField(field("near"))}
    <div class="do"><button type="submit" id="search-show">Search</button>${isFiltered && html` <a href="${path}">Clear</a>`}</div>
  </form>`;
}

/** The button needs a script, which shows it; the script turns a position into a cell in the browser and sends the cell alone. */
function nearField(field: { view: string; name: string; value: string | undefined }): SafeHtml {
  return textField({
    ...field,
    label: "Near a map cell",
    attributes: html`type="text" maxlength="15" autocomplete="off" spellcheck="false" aria-describedby="search-near-hint"`,
    below: html`<button type="button" id="search-position" data-position data-resolution="${NEAR.resolution}">Use my position</button>
      <p class="hint" id="search-near-hint">An H3 cell of resolution ${NEAR.resolution}, about 5 km². Your position stays in your browser; only the cell is sent.</p>
      <p class="hint" role="status" data-position-status></p>`,
  });
}

function results(context: ReadContext, asked: Asked): SafeHtml {
  const answer = searchResource.read(context, {}, { ...asked.query, limit: String(SHOWN) });
  if (answer.count === 0) return nothing(context, answer, asked);
  const before = rowsBefore(given(asked, "cursor"));
  return html`${heading(answer)}
    <p class="soft">${extent(answer, before)} ${CITY_DAYS}${answer.results.some(isSynthetic) && " What is marked synthetic is made up for demonstration."}</p>
    <p class="soft">${scope(context, answer)}</p>
    <ul class="found">${answer.results.map((record) => item(context, record))}</ul>
    ${pager({
      before,
      cursor: answer.next_cursor,
      next: next(answer, before),
      to: (changes) => address(pagePath(search, asked.path), changed(search, asked, changes)) + ANCHOR,
    })}`;
}

function heading({ query: { name, website, near } }: SearchResponse, what = "Records"): SafeHtml {
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${what}${name !== null && html` with “<bdi translate="no">${name}</bdi>” in the name`}${website !== null && html` with the website <bdi translate="no">${website}</bdi>`}${near !== null && ` near the map cell ${near}`}</h2>`;
}

function extent(answer: SearchResponse, before: number): string {
  const { count: shown, total_count: total, total_is_lower_bound: isMore } = answer;
  const all = isMore ? `more than ${number(total)} records` : count(total, "record", "records");
  const isWhole = before === 0 && answer.next_cursor === null;
  const part = isWhole ? "" : `${number(before + 1)} to ${number(before + shown)} of `;
  return `${part}${all}, most observed first.`;
}

function next(
  { count: shown, total_count: total, total_is_lower_bound: isMore }: SearchResponse,
  before: number,
) {
  return `Next ${number(isMore ? SHOWN : Math.min(SHOWN, total - before - shown))}`;
}

/** Above this number cities are counted and not named. */
const MAX_NAMED = 12;

/** Which cities were searched, and the lowest coverage level among them. */
function scope({ snapshot }: ReadContext, answer: SearchResponse): SafeHtml {
  const { searched_cities: slugs, searched_city_count: cities, coverage_confidence: coverage } = answer;
  const names = slugs.map((slug) => html`<bdi>${snapshot.city(slug)?.name ?? slug}</bdi>`);
  const isNamed = cities <= MAX_NAMED;
  const lowest = sparsest(searchedCities(snapshot, { near: answer.query.near ?? undefined }));
  return html`Searched: ${isNamed ? listed(names) : html`<a href="/coverage/">${number(cities)} cities</a>`}. ${cities === 1 ? "Coverage level" : "Lowest coverage level"}: ${coverage.level}${cities > 1 && lowest !== undefined && html` (<bdi>${lowest.name}</bdi>)`}.`;
}

function listed(names: readonly SafeHtml[]): SafeHtml {
  return html`${names.map((name, at) => html`${at > 0 && (at === names.length - 1 ? " and " : ", ")}${name}`)}`;
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

const NO_FILTERS = {
  city: undefined,
  industry: undefined,
  online_presence: undefined,
  website: undefined,
  near: undefined,
  cursor: undefined,
};

function nothing(context: ReadContext, answer: SearchResponse, asked: Asked): SafeHtml {
  const { name, name_match: _, ...filters } = answer.query;
  const isFiltered = Object.values(filters).some((filter) => filter !== null);
  const byName = address(pagePath(search, asked.path), changed(search, asked, NO_FILTERS));
  const isCovered = answer.searched_city_count > 0;
  return html`${heading(answer, "No record")}
    <p>${NO_RESULT.meaning} ${NO_RESULT.limitation}</p>
    ${isCovered ? html`<p>${scope(context, answer)} ${answer.coverage_confidence.note}</p>` : html`<p>${notCovered(answer.query)}</p>`}
    <p>What to try:</p>
    <ul>
      ${name !== null && html`<li>a part of the name only, or another spelling: the search compares letters, not sounds</li>`}
      ${isFiltered && html`<li><a href="${byName}">${name === null ? "all records" : "the same name"} without filters</a></li>`}
      <li><a href="/coverage/">what has been looked at</a>, city by city</li>
    </ul>`;
}

function notCovered({ city }: SearchResponse["query"]): SafeHtml {
  const place = city === null ? "this map cell" : html`a city with the slug “<bdi>${city}</bdi>”`;
  return html`The service does not cover ${place}. Nothing follows from the empty answer.`;
}
