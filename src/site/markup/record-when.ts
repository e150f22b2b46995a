/** When a record was seen: its months and latest rows on its own page, and a page for the rows between two days. */

import { CITATION_STATUS_TEXT } from "../../contract/citation/citation.ts";
import type { PresenceScore } from "../../contract/records/entity.ts";
import type { EvidencePacket, RecordMonth } from "../../contract/records/evidence.ts";
import type { ObservationsResponse, ObservedPeriod } from "../../contract/records/observation.ts";
import { DAY_MS, isoDate, monthOfDay, monthSpan } from "../../kernel/time.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { cityDay, count, monthText, number } from "../../render/words/format.ts";
import { citationUrl, observationTableUrl, recordUrl } from "../../resources/links.ts";
import { rowsBefore } from "../../resources/paging.ts";
import { presenceScore } from "../../resources/records/entity.ts";
import { evidence } from "../../resources/records/evidence.ts";
import {
  address,
  argument,
  changed,
  type PageInput,
  type PageState,
  refusalText,
} from "../query/query-page.ts";
import { record as recordQuery } from "../query/record.ts";
import type { Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { layout } from "./layout.ts";
import { namedText, scriptTag } from "./parts.ts";
import { pager, refusalNotice } from "./query-parts.ts";
import { monthsPart, rowsAddress, times, WHEN_ANCHOR } from "./record-months.ts";
import { observationTable } from "./record-tables.ts";

const LATEST_ROWS = 3;

/** The part of a record's page: its months, how its rows add up, and the latest of them. */
export function whenPart(packet: EvidencePacket, standing: PresenceScore): SafeHtml {
  const { observations, record } = packet;
  const latest = observations.recent.slice(0, LATEST_ROWS);
  return html`<h2 id="when">When it was seen</h2>
  ${monthsPart(packet)}
  ${periodForm(record.public_id)}
  <h2 id="observations">Latest observations</h2>
  <p>${rowsLine(packet, standing)}</p>
  ${observationTable({ observations: latest, rows: observations.total_rows, record: record.public_id })}
  ${observations.total_rows > latest.length && html`<p class="on-screen"><a class="button main" href="${allRows(packet)}">All ${number(observations.total_rows)} rows</a></p>`}`;
}

/** All rows have an address of their own: those up to the month of the release. */
function allRows({ record, generated_at: asOf }: EvidencePacket): string {
  return rowsAddress(record.public_id, undefined, monthOfDay(asOf));
}

/** How ledger rows, sightings, independent and countable ones add up. */
function rowsLine({ observations }: EvidencePacket, { ranking_gate: gate }: PresenceScore): string {
  const { total_rows: rows, total_public: seen, counting } = observations;
  const rejected = rows - seen;
  const aside = seen - counting;
  const countable = gate.countable_observations.current;
  const accepted =
    rejected === 0
      ? `${count(rows, "ledger row", "ledger rows")}, each of them a sighting.`
      : `${count(rows, "ledger row", "ledger rows")}: ${count(seen, "sighting", "sightings")} and ${number(rejected)} rejected in review.`;
  const independent =
    aside === 0
      ? "All sightings are independent."
      : `${number(counting)} of the ${count(seen, "sighting is", "sightings are")} independent and ${number(aside)} set aside.`;
  if (seen === 0) return accepted;
  return `${accepted} ${independent} The ranking counts ${number(countable)} of the ${number(counting)} independent ones: one per observer and day, within 365 days.`;
}

/** Days to choose, in a form that leads to the page of the rows between them. */
function periodForm(
  publicId: string,
  days: { readonly from: string | null; readonly to: string | null } = NO_DAYS,
): SafeHtml {
  const field = (name: "from" | "to", label: string) => html`<div>
    <label for="when-${name}">${label}</label>
    <input id="when-${name}" name="${name}" type="date" value="${days[name] ?? ""}">
  </div>`;
  return html`<form class="form filters" action="${recordUrl("", publicId)}${WHEN_ANCHOR}" aria-label="Days">
    ${field("from", "From")}
    ${field("to", "To")}
    <div class="do"><button type="submit" id="when-show">Show</button></div>
  </form>`;
}

const NO_DAYS = { from: null, to: null };

/** The page of the rows between two days. No search engine lists it. */
export function recordRowsDocument(
  site: Site,
  publicId: string,
  shown: PageState<ObservationsResponse>,
): SafeHtml {
  const packet = evidence.read(site.context, { public_id: publicId }, {});
  const { name, city_name: cityName } = packet.record;
  const files = new UsedFiles(site);
  files.style("record");
  const facts = {
    title: `When ${name} was seen, ${cityName}`,
    description: `Observations of ${name} in ${cityName}, by day and month.`,
    canonical: null,
  };
  return html`${layout(site, files, facts, rowsContent(site, packet, shown))}
  ${scriptTag(files, "copy-text")}`;
}

function rowsContent(site: Site, packet: EvidencePacket, shown: PageState<ObservationsResponse>): SafeHtml {
  const { public_id: publicId, name, city, city_name: cityName } = packet.record;
  const { input } = shown;
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Cities</a> › <a href="/city/${city}/"><bdi>${cityName}</bdi></a> › <a href="${recordUrl("", publicId)}"><bdi translate="no">${name}</bdi></a>
  </nav>
  <h1 id="when">When <bdi translate="no">${name}</bdi> was seen</h1>
  ${monthsPart(packet)}
  <div data-view="record" data-asked>
  ${periodForm(publicId, "answer" in shown ? (shown.answer.period ?? NO_DAYS) : { from: argument(input, "from") ?? null, to: argument(input, "to") ?? null })}
  ${"refusal" in shown ? refusalNotice(refusalText(recordQuery, input, shown.refusal)) : answerPart(site, packet, input, shown.answer)}
  </div>`;
}

function answerPart(
  site: Site,
  packet: EvidencePacket,
  input: PageInput,
  answer: ObservationsResponse,
): SafeHtml {
  const { total_count: total, public_id: publicId, period } = answer;
  return html`<h2 id="observations">${period === null ? `${count(total, "ledger row", "ledger rows")}` : periodHeading(period)}</h2>
  ${period !== null && html`<p>${periodLine(period, packet.months)}</p>`}
  ${total > 0 && rowsPart(input, answer)}
  ${period?.citation != null && citePart(site, packet, period.citation)}
  <p><a href="${recordUrl("", publicId)}">All about <bdi translate="no">${packet.record.name}</bdi></a></p>`;
}

function periodHeading(period: ObservedPeriod): string {
  const time = spanWords(period);
  return period.sightings === 0 ? `No sighting ${time}` : `Seen ${times(period.sightings)} ${time}`;
}

/** `from 1 Mar 2026 to 31 May 2026`, `in Mar 2026`, `on 3 Mar 2026`, `since 1 Mar 2026`, `up to 31 May 2026`. */
function spanWords({ from, to }: ObservedPeriod): string {
  if (from === null || to === null) return from === null ? `up to ${cityDay(to)}` : `since ${cityDay(from)}`;
  if (from === to) return `on ${cityDay(from)}`;
  const month = monthOfDay(from);
  return isWholeMonth(month, from, to) ? `in ${monthText(month)}` : `from ${cityDay(from)} to ${cityDay(to)}`;
}

function isWholeMonth(month: string, from: string, to: string): boolean {
  const { first, last } = monthSpan(month);
  return from === isoDate(first * DAY_MS) && to === isoDate(last * DAY_MS);
}

function periodLine(period: ObservedPeriod, months: readonly RecordMonth[]): string {
  const {
    sightings,
    independent,
    independent_observers: observers,
    first_observed_on: first,
    last_observed_on: last,
  } = period;
  if (sightings === 0) return unseenLine(period, months);
  const by =
    independent === 0
      ? "None of these sightings is independent"
      : `${number(independent)} of these sightings ${independent === 1 ? "is" : "are"} independent, by ${count(observers, "observer", "observers")}`;
  return `${by}. First seen ${cityDay(first)}, last seen ${cityDay(last)}. A sighting shows the sign, not whether the business was open.`;
}

function unseenLine({ from, to }: ObservedPeriod, months: readonly RecordMonth[]): string {
  const visited = months.filter(
    ({ month, area_visited: isVisited }) =>
      isVisited && (from === null || month >= monthOfDay(from)) && (to === null || month <= monthOfDay(to)),
  ).length;
  const known =
    visited === 0
      ? "Nobody is known to have visited its area then."
      : `Its area was visited in ${count(visited, "month", "months")} of that time.`;
  return `${known} This does not show that it was not there.`;
}

function rowsPart(input: PageInput, answer: ObservationsResponse): SafeHtml {
  const { observations, total_count: total, count: rows, next_cursor: cursor, public_id: publicId } = answer;
  const before = rowsBefore(argument(input, "cursor"));
  const days = changed(recordQuery, input, { cursor: undefined });
  const table = address(observationTableUrl("", publicId), days);
  const to = (changes: { readonly cursor: string | undefined }) =>
    `${address(recordUrl("", publicId), changed(recordQuery, input, changes))}#observations`;
  const isAll = before === 0 && cursor === null;
  const part = isAll
    ? `All ${count(total, "ledger row", "ledger rows")}`
    : `Rows ${number(before + 1)} to ${number(before + rows)} of ${number(total)}, latest published first`;
  return html`<p><a href="${table}">Download CSV</a> of these ledger rows, under the <a href="/terms/">terms of the service</a>.</p>
  ${observationTable({ observations, rows: total, record: publicId, part })}
  ${pager({ before, cursor, next: `Next ${number(Math.min(rows, total - before - rows))}`, to })}`;
}

function citePart(
  site: Site,
  { record }: EvidencePacket,
  citation: NonNullable<ObservedPeriod["citation"]>,
): SafeHtml {
  const { ranking_gate: gate } = presenceScore.read(site.context, { public_id: record.public_id }, {});
  const months =
    citation.from === citation.to
      ? monthText(citation.from)
      : `${monthText(citation.from)} to ${monthText(citation.to)}`;
  return html`<h2 id="cite">Cite this period</h2>
  ${gate.status === "integrity_review" && html`<div class="notice"><p>${CITATION_STATUS_TEXT.record_in_review}</p></div>`}
  <blockquote id="citation">${namedText(citation.quote, record.name)}</blockquote>
  <div class="copy" data-copy-for="citation">
    <button type="button" data-copy="citation" disabled>Copy the citation</button>
    <span role="status" class="soft"></span>
  </div>
  <p class="soft">A citation is about whole months: ${months}. <a href="${citationUrl("", citation.citation_id)}">The link shows this quote and its status today</a>.</p>`;
}
