import { utcTime } from "../words/format.ts";
import type { EventFeed, FeedItem } from "./event-feed.ts";
import { textElement, xmlText } from "./xml.ts";

/**
 * Browsers download `application/rss+xml` but show XML. Feed readers accept both and find the feed by the type in a
 * page's `<link>`.
 */
export const FEED_TYPE = "text/xml; charset=utf-8";

const DECLARATION = `<?xml version="1.0" encoding="utf-8"?>`;
// CSS, because browsers are removing XSLT.
const STYLE = `<?xml-stylesheet type="text/css" href="/feed.css"?>`;
const ATOM = "http://www.w3.org/2005/Atom";
const XHTML = "http://www.w3.org/1999/xhtml";
const SPECIFICATION = "https://www.rssboard.org/rss-specification";

/** Renders a feed as RSS 2.0 (interface 4.15) that reads as a page in a browser. */
export function rss(feed: EventFeed): string {
  const { title, description, page, urls, asOf, items } = feed;
  const lines = [
    DECLARATION,
    STYLE,
    `<rss version="2.0" xmlns:atom="${ATOM}">`,
    "<channel>",
    textElement("title", title),
    textElement("link", page.url),
    textElement("description", description),
    textElement("language", "en"),
    textElement("lastBuildDate", rfc822(asOf)),
    textElement("docs", SPECIFICATION),
    `<atom:link href="${xmlText(urls.rss)}" rel="self" type="application/rss+xml"/>`,
    ...readablePart(feed),
    ...items.flatMap(itemLines),
    "</channel>",
    "</rss>",
  ];
  return `${lines.join("\n")}\n`;
}

function itemLines({ id, title, text, url, date }: FeedItem): string[] {
  return [
    "<item>",
    textElement("title", title),
    textElement("link", url),
    `<guid isPermaLink="false">${xmlText(id)}</guid>`,
    textElement("pubDate", rfc822(date)),
    textElement("description", xmlText(text)), // feed readers treat it as HTML, and names must stay text
    "</item>",
  ];
}

/**
 * The readable part for browsers, which cannot follow a `<link>`; the style hides the rest. It avoids RSS element names,
 * because simple parsers ignore namespaces.
 */
function readablePart({ title, description, page, urls, asOf, items }: EventFeed): string[] {
  return [
    `<div xmlns="${XHTML}" lang="en">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1"/>`,
    textElement("h1", title),
    textElement("p", description),
    `<p class="notice"><strong>This is a feed.</strong> Paste its URL into a feed reader to get notified of changes: ${textElement("code", urls.rss)}</p>`,
    `<p>See also: ${link(page.url, `the page of ${page.name}`)}, ${link(urls.json_feed, "the same as JSON Feed")}.</p>`,
    `<h2>Latest changes</h2>`,
    ...(items.length === 0 ? ["<p>No changes in this period.</p>"] : eventList(items)),
    textElement("p", `Data as of ${utcTime(asOf)}. Nothing follows from a missing entry.`),
    "</div>",
  ];
}

function eventList(items: readonly FeedItem[]): string[] {
  const entries = items.map(({ title, text, url, date }) => {
    const time = `<time datetime="${xmlText(date)}">${utcTime(date)}</time>`;
    return `<li><h3>${link(url, title)}</h3>${textElement("p", text)}<p>${time}</p></li>`;
  });
  return ["<ol>", ...entries, "</ol>"];
}

function link(url: string, text: string): string {
  return `<a href="${xmlText(url)}">${xmlText(text)}</a>`;
}

/** RFC 822 date with a four-digit year, as RSS requires. */
function rfc822(iso: string): string {
  return new Date(iso).toUTCString();
}
