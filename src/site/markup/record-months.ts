/** The months of a record: how often it was seen in each, and in which others somebody was there. */

import type { EvidencePacket, RecordMonth } from "../../contract/records/evidence.ts";
import { monthOf, monthOfDay } from "../../kernel/time.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { count, monthText, number } from "../../render/words/format.ts";
import { recordUrl } from "../../resources/links.ts";
import { address } from "../query/query-page.ts";

export const WHEN_ANCHOR = "#when";

/** Where the rows between two days or months are. */
export function rowsAddress(publicId: string, from: string | undefined, to: string | undefined): string {
  return address(recordUrl("", publicId), { from, to }) + WHEN_ANCHOR;
}

/** The months of a record in words and as a strip. */
export function monthsPart(packet: EvidencePacket): SafeHtml {
  const { months, record } = packet;
  const [first] = months;
  if (first === undefined) return html`<p>No month with a sighting is published.</p>`;
  const last = monthOfDay(packet.generated_at);
  const shown = years(first.month, last);
  const earlier = shown.slice(0, -OPEN_YEARS);
  const part = (year: number) => yearPart(record.public_id, year, last, months);
  return html`<p>${monthsLine(months)}</p>
  <div class="strip">
    ${earlier.length > 0 && html`<details class="printed"><summary>${earlierText(earlier)}</summary>${earlier.map(part)}</details>`}
    ${shown.slice(-OPEN_YEARS).map(part)}
    <p class="soft"><b class="visited">0</b>: area visited, not seen. <b>?</b>: nothing known. Each month leads to its rows.</p>
  </div>`;
}

function monthsLine(months: readonly RecordMonth[]): string {
  const seen = months.filter(({ sightings }) => sightings > 0);
  const [first] = seen;
  if (first === undefined) return NO_SIGHTING;
  const visited = months.filter(({ month, sightings }) => sightings === 0 && month > first.month).length;
  const more =
    visited === 0
      ? ""
      : ` In ${count(visited, "later month", "later months")} its area was visited without a sighting, which does not show that it was gone.`;
  return `Seen in ${count(seen.length, "month", "months")} since ${monthText(first.month)}.${more}`;
}

const NO_SIGHTING = "No accepted sighting is published, which proves nothing about it.";

/** Years that the strip shows: the form leads to earlier ones. */
const MAX_YEARS = 5;
const OPEN_YEARS = 2;

function earlierText([first, ...more]: readonly number[]): string {
  return more.length === 0 ? `Months of ${first}` : `Months of ${first} to ${more.at(-1)}`;
}

function years(first: string, last: string): number[] {
  const end = Number(last.slice(0, 4));
  const start = Math.max(Number(first.slice(0, 4)), end - MAX_YEARS + 1);
  return Array.from({ length: end - start + 1 }, (_, at) => start + at);
}

function yearPart(publicId: string, year: number, last: string, months: readonly RecordMonth[]): SafeHtml {
  const all = Array.from({ length: 12 }, (_, at) => monthOf(year * 12 + at)).filter((month) => month <= last);
  const known = new Map(months.map((each) => [each.month, each]));
  return html`<h3>${year}</h3>
  <ol class="months">${all.map((month) => html`<li>${monthCell(publicId, month, known.get(month))}</li>`)}</ol>`;
}

function monthCell(publicId: string, month: string, known: RecordMonth | undefined): SafeHtml {
  const name = monthText(month);
  const words = monthWords(known);
  const shown = html`<span aria-hidden="true">${name.slice(0, 3)} <b>${known === undefined ? "?" : number(known.sightings)}</b></span>`;
  const tip = html`<span class="tip">${name}: ${words}</span>`;
  if (known === undefined) return html`<span class="unknown" title="${name}: ${words}">${shown}${tip}</span>`;
  return html`<a class="${known.sightings > 0 ? "seen" : "visited"}" href="${rowsAddress(publicId, month, month)}">${shown}${tip}</a>`;
}

function monthWords(known: RecordMonth | undefined): string {
  if (known === undefined) return "nothing known";
  const { sightings, independent } = known;
  if (sightings === 0) return "area visited, no sighting";
  return `seen ${times(sightings)}, ${independent === sightings ? "independently" : `${number(independent)} of them independent`}`;
}

/** `once`, `12 times`. */
export function times(value: number): string {
  return value === 1 ? "once" : `${number(value)} times`;
}
