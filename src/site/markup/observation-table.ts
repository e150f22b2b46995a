import { SetAsideReason, VerificationState } from "../../contract/enums.ts";
import type { Observation } from "../../contract/records/observation.ts";
import { verifyAddress } from "../../proof/browser/question.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, number } from "../../render/words/format.ts";
import { KIND_WORDS, SET_ASIDE_WORDS, SOURCE_WORDS, STATE_MEANINGS } from "../../render/words/words.ts";
import { scrollTable } from "./parts.ts";

interface ObservationList {
  readonly observations: readonly Observation[];
  readonly rows: number; // listed ones, including rejected ones
  readonly record: string; // public id
  readonly list: string; // URL of the full list
}

/** The latest observations, the way to all of them, and what their states mean. */
export function observationTable({ observations, rows, record, list }: ObservationList): SafeHtml {
  const label = "Latest observations";
  const caption = `${number(observations.length)} of ${number(rows)} listed rows, newest first. ${CITY_DAYS} Places are H3 map cells; exact places and times of day are not published.`;
  return html`${scrollTable(
    { label, caption, stack: true },
    html`${HEAD}
      <tbody>
        ${observations.map((row) => tableRow(row, record))}
      </tbody>`,
  )}
  ${
    rows > observations.length &&
    html`<p>
      The table shows the latest ${number(observations.length)} of ${number(rows)} listed rows. For all of them, see
      <a href="${list}">the list of observations</a> (JSON).
    </p>`
  }
  ${meanings(observations)}`;
}

const HEAD = html`<thead>
  <tr>
    <th scope="col">Ledger row</th><th scope="col">Check</th><th scope="col">Seen</th><th scope="col">State</th><th scope="col">Source</th>
    <th scope="col">Kind</th><th scope="col">Map cell</th><th scope="col" class="number">Weight</th><th scope="col">Ledger hash</th>
  </tr>
</thead>`;

const SET_ASIDE = html`<span class="under">set aside</span>`;

function tableRow(row: Observation, record: string): SafeHtml {
  return html`<tr>
    <th scope="row" class="half" data-label="Ledger row">${row.id}</th>
    <td class="nowrap">
      <a class="button" href="${verifyAddress(row.id, record)}" aria-label="Verify row ${row.id}">Verify</a>
      <a href="/ledger/proof/${row.id}" aria-label="Proof of row ${row.id}">Proof</a>
    </td>
    <td class="nowrap" data-label="Seen"><time datetime="${row.observed_on}">${row.observed_on}</time></td>
    <td data-label="State">${row.verif_state}${row.set_aside !== null && SET_ASIDE}</td>
    <td class="nowrap" data-label="Source">${SOURCE_WORDS[row.source_type]}</td>
    <td class="nowrap" data-label="Kind">${KIND_WORDS[row.presence_kind]}</td>
    <td class="full" data-label="Map cell"><code>${row.h3_cell}</code></td>
    <td class="number" data-label="Weight">${row.trust_weight}</td>
    <td class="nowrap" data-label="Ledger hash"><code>${row.ledger_hash.slice(0, 10)}…</code></td>
  </tr>`;
}

/** The states and reasons that the shown rows have, in words. */
function meanings(observations: readonly Observation[]): SafeHtml {
  const states = VerificationState.options.filter((state) =>
    observations.some((row) => row.verif_state === state),
  );
  const reasons = SetAsideReason.options.filter((reason) =>
    observations.some((row) => row.set_aside === reason),
  );
  return html`<dl class="meanings">
    ${states.map((state) => html`<div><dt>${state}</dt><dd>${STATE_MEANINGS[state]}</dd></div>`)}
    ${reasons.map(
      (reason) =>
        html`<div><dt>set aside</dt><dd>${SET_ASIDE_WORDS[reason]} (<a href="/independence/">independence</a>)</dd></div>`,
    )}
  </dl>`;
}
