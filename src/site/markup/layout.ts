/** What stands around the content of every page. src/components/Base.astro puts it around pages of Astro. */

import { NO_RESULT, POSITIVE_RESULT, shortServiceName } from "../../contract/records/claim-boundary.ts";
import { isoTime } from "../../kernel/time.ts";
import { SITE_IMAGE } from "../../pictures/social/social-image.ts";
import { html, raw, type SafeHtml } from "../../render/html.ts";
import { number, utcTime } from "../../render/words/format.ts";
import { type Alternate, isCurrent, MAIN_LINKS, SITE_MAP } from "../navigation.ts";
import type { Site } from "../site.ts";
import { fontFiles, type UsedFiles } from "../used-files.ts";
import { scriptTag } from "./parts.ts";

export interface PageFacts {
  readonly title: string; // without the name of the service
  readonly description: string;
  readonly canonical: string | null; // path, or null for a page that is not to be found
  readonly alternates?: readonly Alternate[];
  readonly image?: string; // path of the picture shown where the page is shared, 1200 x 630
  readonly hasSearch?: boolean; // the page has its own search box, so the header has none
}

/** A page from `<html>` on. `files` knows what `content` uses. */
export function layout(site: Site, files: UsedFiles, facts: PageFacts, content: SafeHtml): SafeHtml {
  return html`<html lang="en">
    ${head(site, files, facts, String(content))}
    <body>
      <a class="skip" href="#content">Skip to content</a>
      ${header(site, facts)}
      <main id="content" tabindex="-1">
        ${content}
      </main>
      ${footer(site)}
    </body>
  </html>
  ${scriptTag(files, "search-box")}`;
}

function head(site: Site, files: UsedFiles, facts: PageFacts, content: string): SafeHtml {
  const { description, canonical, alternates = [], image = SITE_IMAGE } = facts;
  const { baseUrl } = site.release;
  const title = titleOf(site, facts);
  return html`<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <meta name="description" content="${description}">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
    <meta name="theme-color" content="#16201e" media="(prefers-color-scheme: dark)">
    ${canonical === null ? raw('<meta name="robots" content="noindex">') : html`<link rel="canonical" href="${baseUrl + canonical}">`}
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="${shortServiceName(site.release)}">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">
    ${canonical !== null && html`<meta property="og:url" content="${baseUrl + canonical}">`}
    <meta property="og:image" content="${baseUrl + image}">
    <meta property="og:image:width" content="1200">
    <meta property="og:image:height" content="630">
    <meta name="twitter:card" content="summary_large_image">
    ${fontFiles(site, content).map((file) => html`<link rel="preload" href="${file}" as="font" type="font/woff2" crossorigin>`)}
    ${WAIT_FOR_WHOLE_PAGE}
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    ${alternates.map(({ type, title, href }) => html`<link rel="alternate" type="${type}" title="${title}" href="${href}">`)}
    <link rel="service-desc" type="application/json" href="/openapi.json">
    <link rel="service-doc" type="text/html" href="/developers/">
    ${files.styles().map((address) => html`<link rel="stylesheet" href="${address}">`)}
  </head>`;
}

/** The service's name stands at the start of the home page's title, and at the end of all others. */
function titleOf({ release }: Site, { title, canonical }: PageFacts): string {
  const name = shortServiceName(release);
  return canonical === "/" ? `${name}: ${title}` : `${title} · ${name}`;
}

/** Pages are small: shown when they are whole, nothing on them moves while the rest comes. */
const WAIT_FOR_WHOLE_PAGE = raw('<link rel="expect" href="#site-footer" blocking="render">');

function header({ isDemonstration, release }: Site, { canonical, hasSearch = false }: PageFacts): SafeHtml {
  return html`<header class="site-header">
    ${isDemonstration && DEMONSTRATION}
    <div class="bar">
      <a class="home" href="/"><img src="/favicon.svg" alt="" width="28" height="28"><span>${shortServiceName(release)}</span></a>
      ${!hasSearch && SEARCH}
      <details class="fold menu-fold" name="header">
        <summary>Menu</summary>
        <nav aria-label="Main">
          <ul class="menu">
            ${MAIN_LINKS.map(({ href, text }) => html`<li><a href="${href}"${current(href, canonical)}>${text}</a></li>`)}
          </ul>
        </nav>
      </details>
    </div>
  </header>`;
}

function current(href: string, canonical: string | null): SafeHtml | false {
  return isCurrent(href, canonical) && html` aria-current="${href === canonical ? "page" : "true"}"`;
}

const DEMONSTRATION = html`<div class="demonstration">
  <p><strong>Demonstration.</strong> The names and observations on this site are made up; only the cities are real.</p>
</div>`;

const SEARCH = html`<details class="fold find-fold" name="header">
  <summary>
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M12.5 12.5 18 18M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0"></path></svg>
    <span class="visually-hidden">Search</span>
  </summary>
  <form class="site-search" action="/search/" role="search" aria-label="Site">
    <label class="visually-hidden" for="site-search">Find a record by name</label>
    <input id="site-search" name="name" type="search" maxlength="200" autocomplete="off" placeholder="Find a name">
    <button type="submit">Search</button>
  </form>
</details>`;

function footer({ release }: Site): SafeHtml {
  const asOf = isoTime(release.asOf);
  return html`<footer class="site-footer" id="site-footer">
    <div>
      <nav class="site-map" aria-label="All pages">
        ${SITE_MAP.map(
          ({ title, links }) => html`<section>
            <h2>${title}</h2>
            <ul>${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>
          </section>`,
        )}
      </nav>
      <p>${POSITIVE_RESULT}</p>
      <p>Nothing found? ${NO_RESULT.limitation}</p>
      <p>
        Data as of <time datetime="${asOf}">${utcTime(asOf)}</time> · ${number(release.treeSize)} sealed ledger rows ·
        <a href="/manifest.json">hashes of all files</a>
      </p>
    </div>
  </footer>`;
}
