/** The page of a record. */

import { AssetType } from "../../contract/enums.ts";
import { POSITIVE_RESULT } from "../../contract/records/claim-boundary.ts";
import { type HtmlValue, html, type SafeHtml } from "../../render/html.ts";
import { count, industryText, score, utcTime } from "../../render/words/format.ts";
import { isUnderReview, recordStates, seenText } from "../../render/words/record-words.ts";
import { ASSET_TYPE_WORDS, ONLINE_WORDS } from "../../render/words/words.ts";
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
  kindList,
  scoreFigures,
  withoutOneObserver,
} from "./record-tables.ts";
import { whenPart } from "./record-when.ts";

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
  return html`${introduction(view, publicId)}
  ${citationPart(view)}

  ${whenPart(packet, standing)}

  ${whereAndWhat(view)}

  ${proofLists(packet.what_this_proves, packet.what_this_does_not_prove)}

  ${scoreAndRank(view)}

  ${identityAndOnline(view)}
  ${dataLinks(view, publicId)}

  <div class="sheet">
    <p>
      Evidence sheet of record <code>${publicId}</code>, data as of ${utcTime(packet.generated_at)}, ledger tree of ${count(release.treeSize, "row", "rows")}
      (${release.origin}). ${POSITIVE_RESULT} Check it at <code>${view.urls.page}</code>
    </p>
  </div>`;
}

/** The answer, its state and what can be done with it: what a reader came for. */
function introduction(view: RecordView, publicId: string): SafeHtml {
  const { entity, packet, urls } = view;
  const { city, city_name: cityName } = packet.record;
  const states = recordStates(entity, packet.last_seen?.months_looked_since ?? 0);
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Cities</a> › <a href="/city/${city}/"><bdi>${cityName}</bdi></a>
    ${urls.industry !== undefined && html`› <a href="${urls.industry}">${industryText(entity.industry)}</a>`}
  </nav>
  <h1><bdi translate="no">${entity.name}</bdi></h1>
  <p class="lead">${seenText(entity)} ${whereabouts(view)}</p>
  <ul class="states" aria-label="State of the record">
    ${states.map(({ label, meaning, isGood }) => html`<li><span class="${isGood ? "tag good" : "tag warn"}">${label}</span> ${meaning}</li>`)}
    ${entity.is_synthetic && SYNTHETIC}
  </ul>
  <p class="actions on-screen">
    <a class="button main" href="#cite">Cite</a>
    <a class="button" href="#data">Download</a>
    <a class="button" href="/report/?about=${publicId}">Report a problem</a>
    <a class="button" href="/alerts/?city=${city}&amp;entity_public_id=${publicId}">Get alerts</a>
  </p>`;
}

const SYNTHETIC = html`<li><span class="tag warn">Made up</span> This record was made up for the demonstration.</li>`;

/** `1 storefront in 2 areas of Guelph.` */
function whereabouts({ assets, entity, packet, stats }: RecordView): HtmlValue {
  const types = AssetType.options.flatMap((type) => {
    const seen = assets.filter(
      ({ asset_type, observation_count: times }) => asset_type === type && times > 0,
    );
    const word = ASSET_TYPE_WORDS[type];
    return seen.length === 0 ? [] : [count(seen.length, word, `${word}s`)];
  });
  if (types.length === 0) return undefined;
  const areas = entity.place_precision === "cell" && `${count(stats.unique_cells, "area", "areas")} of `;
  return html`${types.join(", ")} in ${areas}<bdi>${packet.record.city_name}</bdi>.`;
}

function whereAndWhat({ assets, map, packet }: RecordView): SafeHtml {
  return html`<div class="pair">
    <section>
      <h2 id="where">Where it was observed</h2>
      ${figureHtml(map)}
    </section>
    <section>
      <h2 id="what">What was observed</h2>
      ${kindList(packet)}
      <details class="printed" id="assets">
        <summary>${count(assets.length, "asset", "assets")} with state and days</summary>
        ${assetTable(assets)}
      </details>
    </section>
  </div>`;
}

function scoreAndRank({ standing, packet, components, cohort, history }: RecordView): SafeHtml {
  const { size, definition, median_raw: median } = cohort;
  return html`<h2 id="score">Score and rank</h2>
  ${scoreFigures(standing, packet.record.city_name)}
  <details class="printed">
    <summary>Requirements and computation</summary>
    ${gateProgress(standing.ranking_gate)}
    ${standing.pps !== null && withoutOneObserver(standing)}
    <div class="pair">
    <section>
      ${components === null ? NO_COMPONENTS : figureHtml(components)}
    </section>
    <section>
      <p>
        Raw score: ${score(standing.provisional_pps)}, from 0 to 100 and not relative to other records. Cohort: ${definition} It has ${count(size, "record", "records")}${
          median !== null && `, with a median raw score of ${median.toFixed(2)}`
        }. Every number follows from the observations by the
        <a href="/methodology/">methodology</a>.
      </p>
      ${figureHtml(history)}
    </section>
    </div>
  </details>`;
}

const NO_COMPONENTS = html`<p>There are no observations to compute a score from.</p>`;

function identityAndOnline({ entity, online }: RecordView): SafeHtml {
  const checked = online.checked_at;
  return html`<div class="pair">
    <section>
      <h2 id="identity">Who runs it</h2>
      ${identityFacts(entity)}
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
  ${isUnderReview(entity) && UNDER_REVIEW}
  <blockquote id="citation">${namedText(citations.suggested_citation, entity.name)}</blockquote>
  <div class="copy" data-copy-for="citation">
    <button type="button" data-copy="citation" disabled>Copy the citation</button>
    <span role="status" class="soft"></span>
  </div>
  <p class="soft">
    Its link shows <a href="${citationUrl("", citations.citation_id)}">this quote and its status today</a>;
    <a href="/cite/">check another quote</a>. ${citations.license}
  </p>`;
}

const UNDER_REVIEW = html`<p class="notice"><strong>Under review.</strong> If you quote this record, say so, as the citation below does.</p>`;

function dataLinks({ urls, packet }: RecordView, publicId: string): SafeHtml {
  return html`<section class="on-screen">
    <h2 id="data">Download</h2>
    <ul>
      <li><a href="${urls.evidence}">Evidence packet</a>: everything on this page as one JSON document</li>
      <li><a href="${urls.entity}">Record</a>, <a href="${urls.score}">score with components, cohort and history</a>, <a href="${urls.observations}">observations</a> as JSON</li>
      <li><a href="${urls.cityRss}">Changes of <bdi>${packet.record.city_name}</bdi></a> by RSS</li>
    </ul>
    <p><a href="/owners/?record=${publicId}">Is this your business?</a> You can claim, correct or remove this record.</p>
  </section>`;
}
