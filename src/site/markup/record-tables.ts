import { PresenceKind, SetAsideReason, VerificationState } from "../../contract/enums.ts";
import type { Asset, IdentityHierarchy, PresenceScore, RankingGate } from "../../contract/records/entity.ts";
import type { EvidencePacket } from "../../contract/records/evidence.ts";
import type { Observation } from "../../contract/records/observation.ts";
import { verifyAddress } from "../../proof/browser/outcome.ts";
import { type HtmlValue, html, raw, type SafeHtml } from "../../render/html.ts";
import {
  CITY_DAYS,
  cityDay,
  count,
  industryText,
  number,
  percent,
  score,
} from "../../render/words/format.ts";
import {
  ASSET_STATUS_WORDS,
  ASSET_TYPE_WORDS,
  INDUSTRY_STATE_WORDS,
  KIND_WORDS,
  RETIRED_BY_WORDS,
  SET_ASIDE_WORDS,
  SOURCE_WORDS,
  STATE_MEANINGS,
} from "../../render/words/words.ts";
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

/** Score, requirements and identity of a record's page. */

export function scoreFigures(standing: PresenceScore, cityName: string): SafeHtml {
  return html`<dl class="figures">
    ${figure(
      "Physical Presence Score",
      standing.pps === null ? "not ranked" : html`${score(standing.pps)} <span class="of">of 100</span>`,
      html`relative to the ranked records of <bdi>${cityName}</bdi>; 50 is the middle`,
    )}
    ${figure("Score without any one observer", score(standing.pps_without_any_one_observer), withoutOne(standing))}
    ${figure("Rank", rank(standing), percentile(standing))}
    ${figure("Independent observers", number(standing.independent_observer_count), "within 365 days")}
    ${figure(
      "Countable observations",
      number(standing.independent_observation_count),
      `one per observer and day, on ${number(standing.observation_day_count)} days`,
    )}
    ${figure("Raw score", score(standing.provisional_pps), "0 to 100, not relative to other records")}
  </dl>`;
}

function figure(name: string, value: HtmlValue, note: HtmlValue): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>
      ${value}
      <span class="under">${note}</span>
    </dd>
  </div>`;
}

function withoutOne({ gate_holds_without_any_one_observer: holds }: PresenceScore): string {
  return holds
    ? "the lowest, whichever observer is left out; the ranking gate still holds"
    : "the lowest, whichever observer is left out; the ranking gate does not hold then";
}

function rank({ pbi_rank, pbi_cohort_size }: PresenceScore): HtmlValue {
  if (pbi_rank === null) return "–";
  return html`${number(pbi_rank)} <span class="of">of ${number(pbi_cohort_size ?? 0)}</span>`;
}

function percentile({ cohort_percentile }: PresenceScore): string {
  return cohort_percentile === null
    ? "needs a score"
    : `percentile ${score(cohort_percentile)}; equal scores share a rank`;
}

/** The requirements of the ranking, each with how far it is met. */
export function gateProgress(gate: RankingGate): SafeHtml {
  const { industry, state, authoritative_for_ranking: isClassified } = gate.industry_classification;
  return html`<ul class="requirements" aria-label="Requirements of the ranking, from the observations of the last 365 days">
    ${counted("observers", "independent of each other", gate.independent_observers)}
    ${counted("observations", "countable: one per observer and day", gate.countable_observations)}
    ${counted("days", "with an observation", gate.observation_days)}
    ${requirement(isClassified, {
      dots: isClassified ? "●" : "○",
      text: isClassified ? "Industry classified" : "Industry not classified",
      note: `${industryText(industry)}: ${INDUSTRY_STATE_WORDS[state]}`,
    })}
  </ul>`;
}

interface Requirement {
  readonly dots: string;
  readonly text: string;
  readonly note: string;
}

function requirement(met: boolean, { dots, text, note }: Requirement): SafeHtml {
  return html`<li${met && raw(' class="met"')}>
    <span class="dots" aria-hidden="true">${dots}</span>
    <strong>${text}</strong>
    <span class="under">${note}</span>
  </li>`;
}

function counted(
  name: string,
  note: string,
  { current, required, met }: RankingGate["independent_observers"],
): SafeHtml {
  const has = Math.min(current, required);
  return requirement(met, {
    dots: "●".repeat(has) + "○".repeat(required - has),
    text:
      current > required
        ? `${number(current)} ${name} (${number(required)} needed)`
        : `${number(current)} of ${number(required)} ${name}`,
    note: `${note}: ${met ? "met" : "not yet met"}`,
  });
}

/** What a review said of a record's brand and organizations. */
export function identityFacts(identity: IdentityHierarchy): SafeHtml {
  const isUnreviewed = identity.review_state === "unreviewed";
  return html`${identity.review_state === "reviewed" && reviewedFacts(identity)}
  <p>${isUnreviewed && "No reviewed relationship is published. "}${identity.note}</p>`;
}

function reviewedFacts({ scope, brand, organizations }: IdentityHierarchy): SafeHtml {
  const words = (code: string) => code.replaceAll("_", " ");
  const domain = brand?.canonical_domain;
  return html`<ul>
    ${scope.value !== null && html`<li>Scope: ${words(scope.value)}</li>`}
    ${brand !== null && html`<li>Brand: <bdi translate="no">${brand.name}</bdi>${domain != null && ` (${domain})`}</li>`}
    ${organizations.map(
      ({ relationship_type, name, organization_type }) =>
        html`<li>
          ${words(relationship_type)}: <bdi translate="no">${name}</bdi>, ${words(organization_type)}
        </li>`,
    )}
  </ul>`;
}

/** Tables of a record's page besides its observations. */

export function assetTable(assets: readonly Asset[]): SafeHtml {
  const caption = `“Not seen recently” never means that an asset is gone. Rejected rows are not counted. ${CITY_DAYS}`;
  return scrollTable(
    { label: "Assets", caption, stack: true },
    html`<thead>
      <tr>
        <th scope="col">Type</th><th scope="col">State</th><th scope="col" class="number">Observations</th>
        <th scope="col">First seen</th><th scope="col">Last seen</th><th scope="col">Asset</th>
      </tr>
    </thead>
    <tbody>
      ${assets.map(assetRow)}
    </tbody>`,
  );
}

function assetRow(asset: Asset): SafeHtml {
  return html`<tr>
    <th scope="row" class="nowrap">${ASSET_TYPE_WORDS[asset.asset_type]}</th>
    <td data-label="State">${ASSET_STATUS_WORDS[asset.status]}${asset.retired_by !== null && html` <span class="under">${RETIRED_BY_WORDS[asset.retired_by]}</span>`}</td>
    <td class="number" data-label="Observations">${number(asset.observation_count)}${asset.counting_observation_count === 0 && asset.observation_count > 0 && html` <span class="under">none counts yet</span>`}</td>
    <td class="nowrap" data-label="First seen">${cityDay(asset.first_observed_on)}</td>
    <td class="nowrap" data-label="Last seen">${cityDay(asset.last_observed_on)}</td>
    <td class="full" data-label="Asset"><code>${asset.public_id}</code></td>
  </tr>`;
}

/** Observations by kind, in the order of the kinds, with the meaning of each. */
export function kindTable({ observations, evidence_claim_boundary: boundary }: EvidencePacket): SafeHtml {
  const texts = boundary.positive_result.presence_kinds;
  const rows = PresenceKind.options.map((kind) => {
    const found = observations.presence_mix.find(({ value }) => value === kind);
    if (found === undefined) return undefined;
    return html`<tr>
      <th scope="row">
        ${KIND_WORDS[kind]}
        <span class="under">${count(found.count, "observation", "observations")}, ${percent(found.share)}</span>
      </th>
      <td>${texts[kind]}</td>
    </tr>`;
  });
  return scrollTable(
    { label: "Observations by presence kind", caption: "Observations by kind, and the meaning of each kind" },
    html`<thead><tr><th scope="col">Kind</th><th scope="col">Meaning</th></tr></thead>
    <tbody>
      ${rows}
    </tbody>`,
  );
}
