/** Score, requirements and identity of a record's page. */

import type { IdentityHierarchy, PresenceScore, RankingGate } from "../../contract/records/entity.ts";
import { type HtmlValue, html, raw, type SafeHtml } from "../../render/html.ts";
import { industryText, number, score } from "../../render/words/format.ts";
import { INDUSTRY_STATE_WORDS } from "../../render/words/words.ts";

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
