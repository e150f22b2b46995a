/** The page of all changes of a city. */

import { html, type SafeHtml } from "../../render/html.ts";
import { count, number } from "../../render/words/format.ts";
import { rowsBefore } from "../../resources/paging.ts";
import { changesPage } from "../pages/cities.ts";
import { type Changes, changes, SHOWN_CHANGES } from "../query/changes.ts";
import { fieldId } from "../query/choices.ts";
import type { QueryLocals } from "../query/index.ts";
import {
  address,
  argument,
  changed,
  isFiltered,
  type PageInput,
  pagePath,
  shownFor,
} from "../query/query-page.ts";
import { RESULTS_ANCHOR } from "../query/search.ts";
import type { Site } from "../site.ts";
import { UsedFiles } from "../used-files.ts";
import { eventList } from "./events.ts";
import { layout } from "./layout.ts";
import { pager, queryRegion } from "./query-parts.ts";

export function changesDocument(site: Site, slug: string, query: QueryLocals): SafeHtml {
  const { city, alternates, image } = changesPage(site, slug);
  const shown = shownFor(changes, query.changes, site.context, { path: { city: slug }, query: {} });
  const files = new UsedFiles(site);
  const facts = {
    title: `Changes in ${city.name}`,
    description: `New records, new assets and other changes in ${city.display_label}, newest first.`,
    canonical: `/city/${slug}/changes/`,
    alternates,
    image,
  };
  const content = html`<nav class="crumbs" aria-label="Breadcrumb"><a href="/">Cities</a> › <a href="/city/${slug}/"><bdi>${city.name}</bdi></a></nav>
  <h1>Changes in <bdi>${city.name}</bdi></h1>
  <p class="lead">What is new in the published evidence, newest first. A change shows nothing about the business itself.</p>
  ${queryRegion(files, changes, shown, {
    form: changesForm(shown.input),
    answer: "answer" in shown && changesAnswer(shown.input, shown.answer),
  })}`;
  return layout(site, files, facts, content);
}

function changesForm(input: PageInput): SafeHtml {
  const path = pagePath(changes, input.path);
  const id = fieldId(changes.name, "since");
  return html`<form class="form filters" action="${path + RESULTS_ANCHOR}">
    <div>
      <label for="${id}">Since</label>
      <input id="${id}" name="since" type="date" value="${argument(input, "since")}">
    </div>
    <div class="do"><button type="submit" id="changes-show">Show</button>${isFiltered(changes, input) && html` <a href="${path}">Show all</a>`}</div>
  </form>`;
}

function changesAnswer(
  input: PageInput,
  { events, total_count: total, next_cursor: cursor }: Changes,
): SafeHtml {
  if (total === 0)
    return html`<p data-summary>No change was published ${argument(input, "since") === undefined ? "yet" : "since that day"}.</p>`;
  const before = rowsBefore(argument(input, "cursor"));
  const to = (changesOf: Readonly<Record<string, string | undefined>>) =>
    address(pagePath(changes, input.path), changed(changes, input, changesOf)) + RESULTS_ANCHOR;
  const next = `Older ${number(Math.min(SHOWN_CHANGES, total - before - events.length))}`;
  return html`<h2 id="results" tabindex="-1" data-heading data-summary>${number(before + 1)} to ${number(before + events.length)} of ${count(total, "change", "changes")}</h2>
  ${eventList(events)}
  ${pager({ before, cursor, next, to })}`;
}
