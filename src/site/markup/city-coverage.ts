/** What a city's page says of its coverage, below the records. */

import type { Coverage } from "../../contract/cities/coverage.ts";
import { TIER_WORDS } from "../../contract/cities/coverage.ts";
import { DEMAND_NOTE } from "../../contract/records/claim-boundary.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import {
  AREAS_CHECKED,
  areasChecked,
  denseRequirement,
  denseStreak,
  FRESHNESS_MEANINGS,
  FRESHNESS_WORDS,
  TIER_MEANINGS,
} from "../../render/words/coverage.ts";
import { cityDay, count, number, percent } from "../../render/words/format.ts";
import { ASSET_TYPE_WORDS, measuredText, signShareText } from "../../render/words/words.ts";
import type { cityPage } from "../pages/cities.ts";
import { figureHtml, scrollTable } from "./parts.ts";

type CityView = ReturnType<typeof cityPage>;

export function cityCoverage(view: CityView, slug: string): SafeHtml {
  const { coverage, demand, index } = view;
  const { metrics } = coverage;
  return html`<h2 id="coverage">Coverage</h2>
  ${figures(coverage)}
  <div class="pair map-pair">
    <div>
      ${figureHtml(view.map)}
      <p><a href="/city/${slug}/cells/">All map areas, with visits and sightings</a></p>
    </div>
    <section>
      <h3>What a missing record means here</h3>
      <p>${index.coverage_confidence.note} <span class="soft">Coverage confidence: ${coverage.confidence}.</span></p>
      <h3>Evidence</h3>
      <p>
        ${count(metrics.physical_citations_180d, "accepted sighting", "accepted sightings")} in 180 days, by
        ${count(metrics.independent_scout_observers_180d, "independent scout", "independent scouts")} and other sources.
      </p>
      <h3>What “${TIER_WORDS.dense}” requires</h3>
      ${requirements(coverage)}
      <h3>Demand</h3>
      <p>${demand}</p>
      <details><summary>Limits of these figures</summary>
        <p>${coverage.limitations}</p>
        <p>${DEMAND_NOTE}</p>
      </details>
    </section>
  </div>
  <h3 id="trend">Coverage over time</h3>
  ${figureHtml(view.trend)}
  ${accuracy(view)}`;
}

function figures({ metrics, tier, tier_since, freshness }: Coverage): SafeHtml {
  return html`<dl class="figures">
    <div>
      <dt>Coverage</dt>
      <dd>${TIER_WORDS[tier]}<span class="under">since ${cityDay(tier_since)}: ${TIER_MEANINGS[tier]}</span></dd>
    </div>
    <div>
      <dt>${AREAS_CHECKED}</dt>
      <dd>
        ${areasChecked(metrics)}
        <span class="under">${percent(metrics.cell_coverage_ratio_90d)} of the city; ${percent(metrics.repeated_cell_ratio_90d ?? 0)} in two or more weeks</span>
      </dd>
    </div>
    <div>
      <dt>Freshness</dt>
      <dd>${FRESHNESS_WORDS[freshness]}<span class="under">${FRESHNESS_MEANINGS[freshness]}</span></dd>
    </div>
  </dl>
  <p class="soft">An area is checked when somebody looked there, whether or not a sign was seen.</p>`;
}

function requirements({ dense_gate: gate }: Coverage): SafeHtml {
  const item = (met: boolean, text: string) =>
    html`<li${met && MET}>${text}<span class="visually-hidden">${met ? ": met" : ": not yet met"}</span></li>`;
  return html`<ul class="checks">
    ${gate.requirements.map((requirement) => item(requirement.met, denseRequirement(requirement)))}
    ${item(gate.available, denseStreak(gate))}
  </ul>`;
}

const MET = html` class="met"`;

function accuracy({
  accuracy: { measurement, note, plans, plans_without_result: open },
}: CityView): SafeHtml {
  return html`<h3 id="accuracy">Checked on the ground</h3>
  ${measurement === null ? html`<p>We have not yet sent anyone to check what is listed here.</p>` : measured(measurement, note)}
  ${open > 0 && html`<p class="soft">${number(open)} of ${count(plans, "plan", "plans")} without a result.</p>`}`;
}

type Measurement = NonNullable<CityView["accuracy"]["measurement"]>;

function measured(measurement: Measurement, note: string): SafeHtml {
  const { precision, detection_rate: detection } = measurement;
  const types = ["storefront", "billboard", "site_sign"] as const;
  const groups = [
    { name: "All fixed assets", precision: precision.total, detection: detection.total },
    ...types.map((type) => ({
      name: ASSET_TYPE_WORDS[type],
      precision: precision.by_asset_type[type],
      detection: detection.by_asset_type[type],
    })),
  ];
  const rows = groups.map(
    (group) => html`<tr>
      <th scope="row">${group.name}</th>
      <td class="wide full" data-label="Precision">${signShareText(group.precision)}</td>
      <td class="wide full" data-label="Detection rate">${signShareText(group.detection)}</td>
    </tr>`,
  );
  const verdict = measurement.supports_high ? "allows" : "does not allow";
  const caption =
    "Precision: of what is listed, how much is there. Detection rate: of what is there, how much is listed.";
  return html`<p>${measuredText(measurement)} The result ${verdict} the coverage confidence “high”.</p>
  ${scrollTable(
    { label: "Measured accuracy", caption, stack: true },
    html`<thead><tr><th scope="col">Assets</th><th scope="col">Precision</th><th scope="col">Detection rate</th></tr></thead>
    <tbody>
      ${rows}
    </tbody>`,
  )}
  <p class="soft">
    Ledger rows ${number(measurement.plan_row)} (plan) and ${number(measurement.result_row)} (result). ${note}
  </p>`;
}
