import { html, type SafeHtml } from "../html.ts";
import { utcTime } from "../words/format.ts";
import type { EventFeed, FeedItem } from "./event-feed.ts";

/**
 * A feed as XHTML, which stands in it for people: browsers make no link of a `<link>`, and the style sheet hides the rest. Names of RSS
 * and Atom are not used in it, because simple parsers know no namespaces. `url` is the address of the feed itself.
 */
export function feedPage({ title, description, page, urls, asOf, items }: EventFeed, url: string): SafeHtml {
  return html`<div xmlns="http://www.w3.org/1999/xhtml" lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<h1>${title}</h1>
<p>${description}</p>
<p class="notice"><strong>This is a feed.</strong> paste its URL into a feed reader to get notified of changes: <code>${url}</code></p>
<p>See also: <a href="${page.url}">the page of ${page.name}</a>, <a href="${urls.json_feed}">the same as JSON Feed</a>.</p>
<h2>Latest changes</h2>
${items.length === 0 ? html`<p>No changes in this period.</p>` : html`<ol>${items.map(event)}</ol>`}
<p>Data as of ${utcTime(asOf)}. Nothing follows from a missing entry.</p>
</div>`;
}

function event({ title, text, url, date }: FeedItem): SafeHtml {
  const time = html`<time datetime="${date}">${utcTime(date)}</time>`;
  return html`<li><h3><a href="${url}">${title}</a></h3><p>${text}</p><p>${time}</p></li>`;
}
