import { Feed } from "feed";
import { type ChangeEvent, JsonFeed } from "../../contract/cities/pulse.ts";
import { LIMITS } from "../../contract/limits.ts";
import { DEMONSTRATION_NOTE, serviceName } from "../../contract/records/claim-boundary.ts";
import type { Incident } from "../../contract/service/status.ts";
import { escapeXml } from "../../kernel/text/markup.ts";
import { isoTime } from "../../kernel/time.ts";
import { latestEvents, pulse } from "../../resources/cities/pulse.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { cityUrl, eventUrl, type FeedUrls, serviceFeedUrls, statusFeedUrls } from "../../resources/links.ts";
import { LATE_PREFIX, systemStatus } from "../../resources/service/system-status.ts";
import { html, type SafeHtml } from "../html.ts";
import { utcTime } from "../words/format.ts";

/** The text without the characters that XML 1.0 cannot write: control characters, noncharacters and lone surrogates. */
export function xmlCharacters(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "");
}

/** The text as the content of an element or an attribute. */
export function xmlText(text: string): string {
  return escapeXml(xmlCharacters(text));
}

/** `<name>text</name>`. */
export function textElement(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`;
}

type Release = Pick<ReadContext, "snapshot">;

/** Contents of a feed of change events, independent of its format. */
export interface EventFeed {
  readonly title: string;
  readonly description: string;
  readonly page: { readonly url: string; readonly name: string };
  readonly urls: FeedUrls;
  readonly favicon: string;
  readonly author: string; // the service's name
  readonly asOf: string; // ISO time
  readonly items: readonly FeedItem[]; // newest first
}

export interface FeedItem {
  readonly id: string; // the event's, the same in every release
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly date: string; // ISO time
  readonly categories: readonly string[]; // of an event: its type and the slug of its city
}

const CITY_FEED_EVENTS = LIMITS.pulse.default;
const SERVICE_FEED_EVENTS = 100;

/** Returns the feed of a city: the events of its pulse. Throws PublicError 404 for an unknown city. */
export function cityFeed(context: ReadContext, path: PathValues): EventFeed {
  const { city, feeds, events } = pulse.read(context, path, { limit: String(CITY_FEED_EVENTS) });
  const { baseUrl } = context.snapshot.release();
  return {
    ...feedFacts(context),
    title: `Physical presence changes in ${city.name}`,
    description: describedAs(
      context,
      `Changes derived from accepted physical observations in ${city.name}: at most the newest ${CITY_FEED_EVENTS} of the last 30 days. For all of them, page by page, see ${feeds.json}.`,
    ),
    page: { url: cityUrl(baseUrl, city.slug), name: city.name },
    urls: feeds,
    items: events.map((event) => feedItem(event, event.headline)),
  };
}

/** Returns the feed of the service: the newest events of all cities, each with its city's name. */
export function serviceFeed(context: Release): EventFeed {
  const { baseUrl } = context.snapshot.release();
  return {
    ...feedFacts(context),
    title: "Physical presence changes in all cities",
    description: describedAs(
      context,
      `Changes derived from accepted physical observations in all cities of the service: at most the newest ${SERVICE_FEED_EVENTS}. For all changes of a city, page by page, see /api/v1/pulse/{city}.`,
    ),
    page: { url: `${baseUrl}/`, name: "all cities" },
    urls: serviceFeedUrls(baseUrl),
    items: latestEvents(context, SERVICE_FEED_EVENTS).map((event) =>
      feedItem(event, `${event.headline} (${event.city_name})`),
    ),
  };
}

export function feedFacts({ snapshot }: Release): Pick<EventFeed, "author" | "favicon" | "asOf"> {
  const { baseUrl, asOf, siteName } = snapshot.release();
  return { author: serviceName({ siteName }), favicon: `${baseUrl}/favicon.svg`, asOf: isoTime(asOf) };
}

function describedAs({ snapshot }: Release, text: string): string {
  if (snapshot.release().environment !== "demo") return text;
  return `${text} ${DEMONSTRATION_NOTE}`;
}

function feedItem(event: ChangeEvent, title: string): FeedItem {
  const { id, type, city, summary, record_url, detected_at } = event;
  return {
    id,
    title,
    text: summary,
    url: eventUrl(record_url, type),
    date: detected_at,
    categories: [type, city],
  };
}

/**
 * A feed as XHTML, which stands in it for people: browsers make no link of a `<link>`, and the style sheet hides the rest. Names of RSS
 * and Atom are not used in it, because simple parsers know no namespaces. `url` is the address of the feed itself.
 */
export function feedPage({ title, description, page, urls, asOf, items }: EventFeed, url: string): SafeHtml {
  return html`<div xmlns="http://www.w3.org/1999/xhtml" lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<h1>${title}</h1>
<p>${description}</p>
<p class="notice"><strong>This is a feed.</strong> Paste its URL into a feed reader to get notified of changes: <code>${url}</code></p>
<p>See also: <a href="${page.url}">the page of ${page.name}</a>, <a href="${urls.json_feed}">the same as JSON Feed</a>.</p>
<h2>Latest changes</h2>
${items.length === 0 ? html`<p>No changes in this period.</p>` : html`<ol>${items.map(event)}</ol>`}
<p>Data as of ${utcTime(asOf)}. A missing entry shows nothing.</p>
</div>`;
}

function event({ title, text, url, date }: FeedItem): SafeHtml {
  const time = html`<time datetime="${date}">${utcTime(date)}</time>`;
  return html`<li><h3><a href="${url}">${title}</a></h3><p>${text}</p><p>${time}</p></li>`;
}

/** Returns the feed of the incidents that the release knows: their start, each update, and their end. */
export function statusFeed(context: ReadContext): EventFeed {
  const { baseUrl } = context.snapshot.release();
  const url = `${baseUrl}/status/#incidents`;
  const { incidents } = systemStatus.read(context, {}, {});
  return {
    ...feedFacts(context),
    title: "Incidents of the service",
    description:
      "Incidents, their updates and their end, as of this release. A release that is late now has no entry before the next one: /api/v1/status says so at once.",
    page: { url: `${baseUrl}/status/`, name: "the status" },
    urls: statusFeedUrls(baseUrl),
    items: incidents.flatMap((incident) => steps(incident, url)).sort(newestFirst),
  };
}

/** Newest first. A release that was late has one entry: nothing was published while it was. */
function steps(incident: Incident, url: string): FeedItem[] {
  const { id, title, started_at, resolved_at, message, updates = [] } = incident;
  const item = (step: string, text: string, date: string, words = "") => ({
    id: `${id}-${step}`,
    title: words + title,
    text,
    url,
    date,
    categories: [],
  });
  const end = (text: string) =>
    resolved_at === null ? [] : [item("resolved", text, resolved_at, "Resolved: ")];
  if (id.startsWith(LATE_PREFIX)) return end(message);
  const told = updates.map((update, at) => item(`update-${at + 1}`, update.message, update.at, "Update: "));
  return [...end("The incident has ended."), ...told.reverse(), item("opened", message, started_at)];
}

function newestFirst(a: FeedItem, b: FeedItem): number {
  return Date.parse(b.date) - Date.parse(a.date);
}

/** A feed of change events as RSS 2.0 (interface 4.15), Atom and JSON Feed 1.1. The package `feed` writes all three; what it lacks is added. */

/** Browsers show XML, and save `application/rss+xml` to a file. Feed readers find a feed by the type in the `<link>` of a page. */
export const FEED_TYPE = "text/xml; charset=utf-8";
export const JSON_FEED_TYPE = "application/feed+json; charset=utf-8";

/** Browsers are removing XSLT; style sheets stay. */
const STYLE = `<?xml-stylesheet type="text/css" href="/feed.css"?>`;
const SPECIFICATION = "https://www.rssboard.org/rss-specification";

/** With a readable part for browsers, as Atom has. A description is HTML in readers of RSS, that of the channel too. */
export function rss(feed: EventFeed): string {
  const text = packaged(withAmpersands({ ...feed, description: asHtml(feed.description) }), xmlText).rss2();
  return readable(
    text.replaceAll("<title><![CDATA[", "<title>").replaceAll("]]></title>", "</title>"),
    "</channel>",
    feed,
    feed.urls.rss,
  );
}

export function atom(feed: EventFeed): string {
  const text = packaged(withAmpersands(feed), xmlText).atom1();
  const titled = text
    .replaceAll('<title type="html"><![CDATA[', '<title type="text">')
    .replaceAll("]]></title>", "</title>");
  return readable(titled, "</feed>", feed, feed.urls.atom);
}

/** In title and description of the feed itself the XML writer takes `&amp;` for `&`. */
function withAmpersands(feed: EventFeed): EventFeed {
  const keep = (text: string) => text.replaceAll("&", "&amp;");
  return { ...feed, title: keep(feed.title), description: keep(feed.description) };
}

/** The package writes version 1.0, with its texts as HTML. */
export function jsonFeed(feed: EventFeed): JsonFeed {
  const { author: _, ...written } = JSON.parse(packaged(feed, xmlCharacters).json1());
  return JsonFeed.parse({
    ...written,
    version: "https://jsonfeed.org/version/1.1",
    user_comment: "This is a feed: paste its URL into a feed reader to get notified of changes.",
    favicon: feed.favicon,
    language: "en",
    items: feed.items.map(({ id, url, title, text, date, categories }) => ({
      id,
      url,
      title,
      content_text: text,
      date_published: date,
      tags: [...categories],
    })),
  } satisfies Partial<JsonFeed>);
}

/** `itemTitle` escapes a title: the package hands on titles as they are, in CDATA, as if they were HTML. They are plain text. */
function packaged(definition: EventFeed, itemTitle: (title: string) => string): Feed {
  const { title, description, page, urls, favicon, asOf, items } = definition;
  const feed = new Feed({
    id: urls.atom,
    title: xmlCharacters(title),
    description: xmlCharacters(description),
    link: page.url,
    language: "en",
    updated: new Date(asOf),
    favicon,
    docs: SPECIFICATION,
    author: { name: definition.author }, // Atom asks for one
    generator: false,
    feedLinks: { rss: urls.rss, atom: urls.atom, json: urls.json_feed },
  });
  for (const { id, title, text, url, date, categories } of items) {
    const time = new Date(date);
    feed.addItem({
      id: tagOf(urls.atom, id),
      guid: id,
      title: itemTitle(title),
      link: url,
      date: time,
      published: time,
      category: categories.map((name) => ({ name, term: name })),
      description: asHtml(xmlCharacters(text)), // readers take it for HTML, and a name in it must stay text
    });
  }
  return feed;
}

/** The id of an event as a URI (RFC 4151), which Atom asks for. */
function tagOf(feedUrl: string, id: string): string {
  return `tag:${new URL(feedUrl).hostname},2026:${encodeURIComponent(id)}`;
}

function asHtml(text: string): string {
  return String(html`${text}`);
}

/** Adds the style sheet after the XML declaration, and the readable part before the last end of `element`. */
function readable(xml: string, element: string, feed: EventFeed, url: string): string {
  const end = xml.lastIndexOf(element);
  const part = xmlCharacters(String(feedPage(feed, url)));
  return `${xml.slice(0, end)}${part}\n${xml.slice(end)}\n`.replace("\n", `\n${STYLE}\n`);
}
