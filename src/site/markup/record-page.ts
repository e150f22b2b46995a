/** The page of a record. */

import { NOTHING_COUNTS, POSITIVE_RESULT } from "../../contract/records/claim-boundary.ts";
import { type HtmlValue, html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, cityDay, count, industryText, number, utcTime } from "../../render/words/format.ts";
import { CLAIM_WORDS, GATE_MEANINGS, GATE_WORDS, ONLINE_WORDS } from "../../render/words/words.ts";
import { citationUrl } from "../../resources/links.ts";
import { recordPage } from "../pages/record.ts";
import type { Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { layout } from "./layout.ts";
import { figureHtml, namedText, proofLists, scriptTag } from "./parts.ts";
import {
  assetTable,
  gateProgress,
  identityFacts,
  kindTable,
  observationTable,
  scoreFigures,
} from "./record-tables.ts";

type RecordView = ReturnType<typeof recordPage>;

export function recordDocument(site: Site, publicId: string): SafeHtml {
  const view = recordPage(site, publicId);
  const files = new UsedFiles(site);
  files.style("record");
  files.style("pictures");
  const facts = {
    title: `${view.entity.name}, ${view.packet.record.city_name}`,
    description: view.description,
    canonical: `/record/${publicId}/`,
    alternates: view.alternates,
    image: view.image,
  };
  return html`${layout(site, files, facts, content(view, publicId, site.release))}
  ${scriptTag(files, "copy-text")}`;
}

function content(view: RecordView, publicId: string, release: Site["release"]): SafeHtml {
  const { packet, standing } = view;
  const { observations } = packet;
  return html`${introduction(view)}
  ${scoreFigures(standing, packet.record.city_name)}

  <h2 id="gate">Ranking requirements</h2>
  <p>${standing.ranking_reason}</p>
  ${gateProgress(standing.ranking_gate)}

  ${whereAndWhat(view)}

  ${proofLists(packet.what_this_proves, packet.what_this_does_not_prove)}

  <h2 id="observations">Latest observations</h2>
  ${observationTable({
    observations: observations.recent,
    rows: observations.total_rows,
    record: publicId,
    list: view.urls.observations,
  })}

  ${scoreOrigin(view)}

  <h2 id="assets">Assets</h2>
  ${assetTable(view.assets)}

  ${identityAndOnline(view)}
  ${citationPart(view)}
  ${dataLinks(view, publicId)}

  <div class="sheet">
    <p>
      Evidence sheet of record ${publicId}, data as of ${utcTime(packet.generated_at)}, ledger tree of ${count(release.treeSize, "row", "rows")}
      (${release.origin}). ${POSITIVE_RESULT} Check it at ${view.urls.page}
    </p>
  </div>`;
}

function introduction({ entity, standing, packet, stats, urls }: RecordView): SafeHtml {
  const { city, city_name: cityName } = packet.record;
  const gate = standing.ranking_gate.status;
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Cities</a> › <a href="/city/${city}/"><bdi>${cityName}</bdi></a>
    ${urls.industry !== undefined && html`› <a href="${urls.industry}">${industryText(entity.industry)}</a>`}
  </nav>
  <h1><bdi translate="no">${entity.name}</bdi></h1>
  <p class="lead">
    ${
      stats.observation_count === 0
        ? "No accepted observation: a review rejected every row of this record."
        : summary({ entity, packet, stats })
    }
  </p>
  <p class="badges">
    ${entity.is_synthetic && SYNTHETIC}
    <span class="${gate === "eligible" ? "tag good" : "tag warn"}">${GATE_WORDS[gate]}: ${GATE_MEANINGS[gate]}</span>
  </p>`;
}

const SYNTHETIC = html`<span class="tag warn">synthetic: made up for demonstration</span>`;

function summary({ entity, packet, stats }: Pick<RecordView, "entity" | "packet" | "stats">): SafeHtml {
  const place: HtmlValue =
    entity.place_precision === "cell"
      ? count(stats.unique_cells, "map cell", "map cells")
      : html`<bdi>${packet.record.city_name}</bdi>`;
  const { counting } = packet.observations;
  const counts = counting === 0 ? "none of which counts" : `${number(counting)} of which count`;
  const isMixed = counting < stats.observation_count;
  return html`${counting === 0 && html`<strong>${NOTHING_COUNTS}</strong> `}${count(stats.observation_count, "observation", "observations")}${isMixed && ` (${counts} as independent evidence)`} of ${count(stats.unique_assets, "asset", "assets")} in
    ${place}; first observed <span class="nowrap">${cityDay(entity.first_observed_on)}</span>, last observed
    <span class="nowrap">${cityDay(entity.last_observed_on)}</span>. ${CITY_DAYS}`;
}

function whereAndWhat({ map, packet, confidenceNote }: RecordView): SafeHtml {
  return html`<div class="pair">
    <section>
      <h2 id="where">Where it was observed</h2>
      ${figureHtml(map, false)}
    </section>
    <section>
      <h2 id="what">What was observed</h2>
      ${kindTable(packet)}
      <p><strong>Missing records:</strong> ${confidenceNote}</p>
    </section>
  </div>`;
}

function scoreOrigin({ components, cohort, history }: RecordView): SafeHtml {
  const { size, definition, median_raw: median } = cohort;
  return html`<h2 id="score">How the score is computed</h2>
  <div class="pair">
    <section>
      ${components === null ? NO_COMPONENTS : figureHtml(components, false)}
    </section>
    <section>
      <p>
        Cohort: ${definition} It has ${count(size, "record", "records")}${
          median !== null && `, with a median raw score of ${median.toFixed(2)}`
        }. Every number follows from the observations by the
        <a href="/methodology/">methodology</a>.
      </p>
      ${figureHtml(history, false)}
    </section>
  </div>`;
}

const NO_COMPONENTS = html`<p>There are no observations to compute a score from.</p>`;

function identityAndOnline({ entity, online }: RecordView): SafeHtml {
  const checked = online.checked_at;
  return html`<div class="pair">
    <section>
      <h2 id="identity">Identity</h2>
      <p>${CLAIM_WORDS[entity.status]}</p>
      ${identityFacts(entity.identity_hierarchy)}
    </section>
    <section>
      <h2 id="online">Online presence</h2>
      <p>
        ${ONLINE_WORDS[online.verdict]}${checked !== null && `, checked ${utcTime(checked)}`}. This is derived from
        public web search and affects neither the observations nor the score.
      </p>
    </section>
  </div>`;
}

function citationPart({ packet: { citations }, entity }: RecordView): SafeHtml {
  return html`<h2 id="cite">Cite this record</h2>
  <blockquote id="citation">${namedText(citations.suggested_citation, entity.name)}</blockquote>
  <div class="copy" data-copy-for="citation">
    <button type="button" data-copy="citation" disabled>Copy the citation</button>
    <span role="status" class="soft"></span>
  </div>
  <p class="soft">
    Its URL shows <a href="${citationUrl("", citations.citation_id)}">the citation as published and its status today</a>. You can also
    <a href="/cite/">check any quote</a>. ${citations.license}
  </p>`;
}

function dataLinks({ urls, packet }: RecordView, publicId: string): SafeHtml {
  return html`<section class="on-screen">
    <h2 id="data">As data</h2>
    <ul>
      <li><a href="${urls.evidence}">Evidence packet</a>: everything on this page as one JSON document</li>
      <li><a href="${urls.entity}">Record</a>, <a href="${urls.score}">score with components, cohort and history</a>, <a href="${urls.observations}">observations</a> as JSON</li>
      <li><a href="${urls.cityRss}">Changes of <bdi>${packet.record.city_name}</bdi></a> by RSS, or <a href="/alerts/">alerts</a> about this record (<code>${publicId}</code>)</li>
    </ul>
    <p>
      <a href="/report/?about=${publicId}">Report a problem</a> with this record, or <a href="/opt-out/?record=${publicId}">request its removal</a>.
    </p>
  </section>`;
}
