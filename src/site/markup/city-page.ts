/** The page of a city, and those of its industries. */

import { TIER_WORDS } from "../../contract/cities/coverage.ts";
import { html, raw, type SafeHtml } from "../../render/html.ts";
import { areasChecked } from "../../render/words/coverage.ts";
import { count, number } from "../../render/words/format.ts";
import { cityIndustryPage, cityPage } from "../pages/cities.ts";
import { city } from "../query/city.ts";
import type { QueryLocals } from "../query/index.ts";
import { shownFor } from "../query/query-page.ts";
import { perCity, type Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { cityCoverage } from "./city-coverage.ts";
import { cityForm, cityRecords } from "./city-records.ts";
import { eventList } from "./events.ts";
import { layout } from "./layout.ts";
import { scriptTag } from "./parts.ts";
import { queryRegion } from "./query-parts.ts";

type CityView = ReturnType<typeof cityPage>;

export function cityDocument(site: Site, slug: string, query: QueryLocals): SafeHtml {
  const { city: about } = cityPage(site, slug).index;
  const shown = shownFor(city, query.city, site.context, { path: { city: slug }, query: {} });
  const files = new UsedFiles(site);
  files.style("pictures");
  const facts = {
    title: `${about.name}: what was seen`,
    description: `Physically observed brands and assets in ${about.display_label}: records by rank, coverage and latest changes.`,
    canonical: `/city/${slug}/`,
    alternates: cityPage(site, slug).alternates,
    image: cityPage(site, slug).image,
  };
  const { above, below } = aroundRecords(site, slug);
  const region = queryRegion(files, city, shown, {
    form: cityForm(site, shown.input),
    answer: "answer" in shown && cityRecords(shown.input, shown.answer),
  });
  return layout(
    site,
    files,
    facts,
    html`${above}
  ${region}
  ${below}
  ${"openMap" in cityPage(site, slug).map && scriptTag(files, "open-map")}`,
  );
}

/** What is the same whatever is asked of the records, made once. */
const aroundRecords = perCity((site, slug) => {
  const view = cityPage(site, slug);
  return { above: introduction(view), below: afterRecords(view, slug) };
});

function introduction(view: CityView): SafeHtml {
  const { city: about, carried_over: carried } = view.index;
  const { tier, metrics } = view.coverage;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Cities</a></nav>
  <h1><bdi>${about.display_label}</bdi></h1>
  <p class="lead">
    ${count(view.records.active, "record", "records")} of what was seen. <a href="#coverage">Coverage</a>: ${TIER_WORDS[tier]};
    ${areasChecked(metrics)} checked in the last 90 days.
  </p>
  ${carried !== undefined && html`<p>${carried.note}</p>`}
  ${
    (!about.launched || about.collection_status === "paused") &&
    html`<p>
    ${!about.launched && html`<span class="tag warn">preview: not yet launched</span>`}
    ${about.collection_status === "paused" && html`<span class="tag warn">collection paused: no new observations</span>`}
  </p>`
  }
  <h2 id="records">Records</h2>`;
}

function afterRecords(view: CityView, slug: string): SafeHtml {
  return html`${view.index.total_count > 0 && counts(view, slug)}
  ${cityCoverage(view, slug)}
  <h2 id="changes">Latest changes</h2>
  ${eventList(view.events)}
  <p>
    ${count(view.eventCount, "change", "changes")} in the last 30 days. <a href="/city/${slug}/changes/">All changes, also older ones</a>
  </p>
  ${dataLinks(view, slug)}`;
}

function counts({ index, records, sections }: CityView, slug: string): SafeHtml {
  const { eligible, evidence_building: building, integrity_review: review } = index.ranking_summary;
  return html`<p>
    Of ${count(records.active, "record", "records")}, ${number(eligible)} meet all requirements for ranking, ${number(building)} are still gathering evidence, and
    ${number(review)} are under review.${records.dissolved > 0 && ` ${count(records.dissolved, "record", "records")} marked dissolved ${records.dissolved === 1 ? "is" : "are"} neither ranked nor listed here.`}
  </p>
  <details>
    <summary>Records by industry</summary>
    ${industryChips(slug, sections)}
  </details>`;
}

interface IndustryChip {
  readonly code: string;
  readonly title: string;
  readonly records: number;
}

function industryChips(slug: string, industries: readonly IndustryChip[], label?: string): SafeHtml {
  return html`<ul class="chips"${label !== undefined && html` aria-label="${label}"`}>
    ${industries.map(
      ({ code, title, records }) =>
        html`<li><a href="/city/${slug}/industry/${code}/">${title} <span class="soft">${number(records)}</span></a></li>`,
    )}
  </ul>`;
}

function dataLinks({ feeds, index, dataset }: CityView, slug: string): SafeHtml {
  return html`<h2 id="data">As data</h2>
  <ul>
    <li>Changes as <a href="${feeds.rss}">RSS</a>, <a href="${feeds.atom}">Atom</a>, <a href="${feeds.json_feed}">JSON Feed</a> or <a href="/api/v1/pulse/${slug}">JSON</a>, or <a href="/alerts/?city=${slug}">by email</a></li>
    <li>Ranking as <a href="/api/v1/city/${slug}/index">JSON</a>, aggregates as <a href="/api/v1/explorer.csv?city=${slug}" rel="nofollow">CSV</a></li>
    <li>Coverage as <a href="/api/v1/coverage-status/${slug}">JSON</a> with all metrics, <a href="/api/v1/city/${slug}/accuracy">measured accuracy</a>, areas as <a href="/exports/cells/${slug}.geojson">GeoJSON</a></li>
  </ul>
  <p class="soft">${index.license}</p>
  <script type="application/ld+json">${raw(dataset)}</script>`;
}

export function cityIndustryDocument(site: Site, slug: string, code: string): SafeHtml {
  const view = cityIndustryPage(site, slug, code);
  const { city: about, industry, above, below } = view;
  // The filters and the links lead to the page of the city.
  const input = { path: { city: slug }, query: { industry: code } };
  const facts = {
    title: `${industry.title} in ${about.name}, ISIC ${code}`,
    description: `Physically observed records in ${about.display_label} in industry ${code}: ${industry.title}, by Physical Presence Score.`,
    canonical: `/city/${slug}/industry/${code}/`,
    alternates: view.alternates,
    image: view.image,
  };
  return layout(
    site,
    new UsedFiles(site),
    facts,
    html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Cities</a> › <a href="/city/${slug}/"><bdi>${about.name}</bdi></a>
    ${above !== undefined && html`› <a href="/city/${slug}/industry/${above.code}/">${above.title}</a>`}
  </nav>
  <h1>${industry.title} in <bdi>${about.name}</bdi></h1>
  <p class="lead">
    ${count(industry.records, "record was", "records were")} observed in this industry (ISIC Rev. 5 <code>${code}</code>). Ranks cover the whole
    city: industries have no separate ranking.
  </p>
  <p><strong>Missing records:</strong> ${view.confidenceNote}</p>
  ${below.length > 0 && industryChips(slug, below, "Industries of this section")}
  <h2 id="records">Records</h2>
  ${cityForm(site, input)}
  ${cityRecords(input, city.answer(site.context, input))}`,
  );
}
