import { PresenceKind, SetAsideReason, VerificationState } from "../../contract/enums.ts";
import type { Asset, EntitySummary, PresenceScore, RankingGate } from "../../contract/records/entity.ts";
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
import { unrankedText } from "../../render/words/record-words.ts";
import {
  ASSET_STATUS_WORDS,
  ASSET_TYPE_WORDS,
  CLAIM_WORDS,
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
  readonly part?: string; // says which rows these are; absent: the latest ones
}

/** Observations of a record, and what their states mean. */
export function observationTable({ observations, rows, record, part }: ObservationList): SafeHtml {
  const label = part === undefined ? "Latest observations" : "Observations";
  const shown = rows > observations.length ? `The latest ${number(observations.length)} of` : "All";
  const caption = `${part ?? `${shown} ${count(rows, "ledger row", "ledger rows")}`}. ${CITY_DAYS} Exact places and times are not published.`;
  return html`${scrollTable(
    { label, caption, stack: true },
    html`${HEAD}
      <tbody>
        ${observations.map((row) => tableRow(row, record))}
      </tbody>`,
  )}
  ${meanings(observations)}`;
}

const HEAD = html`<thead>
  <tr>
    <th scope="col">Seen</th><th scope="col">State</th><th scope="col">Source</th><th scope="col">Kind</th>
    <th scope="col">Ledger row</th><th scope="col">Area</th>
  </tr>
</thead>`;

function tableRow(row: Observation, record: string): SafeHtml {
  return html`<tr>
    <th scope="row" class="half nowrap"><time datetime="${row.observed_on}">${cityDay(row.observed_on)}</time></th>
    <td data-label="State">${row.verif_state}${row.set_aside !== null && ", set aside"}</td>
    <td class="nowrap" data-label="Source">${SOURCE_WORDS[row.source_type]}, weight ${row.trust_weight}</td>
    <td class="nowrap" data-label="Kind">${KIND_WORDS[row.presence_kind]}</td>
    <td class="nowrap">${row.id}
      <a href="${verifyAddress(row.id, record)}" aria-label="Verify row ${row.id}">Verify</a>
      <a href="/ledger/proof/${row.id}" aria-label="Proof of row ${row.id}">Proof</a></td>
    <td data-label="Area"><code>${row.h3_cell}</code></td>
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
  return html`<details><summary>What the states mean</summary><dl class="meanings">
    ${states.map((state) => html`<div><dt>${state}</dt><dd>${STATE_MEANINGS[state]}</dd></div>`)}
    ${reasons.map(
      (reason) =>
        html`<div><dt>set aside</dt><dd>${SET_ASIDE_WORDS[reason]} (<a href="/independence/">independence</a>)</dd></div>`,
    )}
  </dl></details>`;
}

/** Score, requirements and identity of a record's page. */

/** Score and rank, or why there are none. */
export function scoreFigures(standing: PresenceScore, cityName: string): SafeHtml {
  const unranked = unrankedText(standing);
  if (unranked !== undefined)
    return html`<p><strong>${unranked}.</strong> A score is computed only for ranked records.</p>`;
  const { pps, cohort_percentile: percentile, pbi_rank: rank, pbi_cohort_size: size } = standing;
  return html`<dl class="figures">
    ${figure(
      "Physical Presence Score",
      html`${score(pps)} <span class="of">of 100</span>`,
      html`relative to the ranked records of <bdi>${cityName}</bdi>; 50 is the middle`,
    )}
    ${figure(
      "Rank",
      html`${number(rank ?? 0)} <span class="of">of ${number(size ?? 0)}</span>`,
      `percentile ${score(percentile)}; equal scores share a rank`,
    )}
  </dl>`;
}

/** How a ranked record would do without its strongest observer. */
export function withoutOneObserver(standing: PresenceScore): SafeHtml {
  const { pps_without_any_one_observer: without, gate_holds_without_any_one_observer: holds } = standing;
  return html`<p>Score without its strongest observer: <strong>${score(without)}</strong>, the lowest, whichever observer is left out. ${holds ? "The record would keep its rank." : "The record would have no rank then."}</p>`;
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

/** The requirements of the ranking, each with how far it is met. */
export function gateProgress(gate: RankingGate): SafeHtml {
  const { industry, state, authoritative_for_ranking: isClassified } = gate.industry_classification;
  return html`<ul class="requirements" aria-label="Requirements for a rank, from the observations of the last 365 days">
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

/** Who claimed a record, and what a review said of its brand and organizations. */
export function identityFacts({
  status,
  identity_hierarchy: identity,
}: Pick<EntitySummary, "status" | "identity_hierarchy">): SafeHtml {
  const claim = CLAIM_WORDS[status];
  if (identity.review_state === "unreviewed")
    return html`<p>${claim} We have not confirmed who runs this business.</p>`;
  const { scope, brand, organizations } = identity;
  const words = (code: string) => code.replaceAll("_", " ");
  const domain = brand?.canonical_domain;
  return html`<p>${claim}</p>
  <ul>
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
  const caption = `“Not seen recently” never means that an asset is gone. Rejected rows are not counted.`;
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
export function kindList({ observations, evidence_claim_boundary: boundary }: EvidencePacket): SafeHtml {
  const texts = boundary.positive_result.presence_kinds;
  const items = PresenceKind.options.map((kind) => {
    const found = observations.presence_mix.find(({ value }) => value === kind);
    if (found === undefined) return undefined;
    const times = count(found.count, "observation", "observations");
    return html`<div><dt>${KIND_WORDS[kind]}: ${times} (${percent(found.share)})</dt><dd>${texts[kind]}</dd></div>`;
  });
  return html`<dl class="meanings">
    ${items}
  </dl>`;
}
