/** A feed of change events as RSS 2.0 (interface 4.15), Atom and JSON Feed 1.1. The package `feed` writes all three; what it lacks is added. */

import { Feed } from "feed";
import { SERVICE } from "../../contract/records/claim-boundary.ts";
import { JsonFeed } from "../../contract/service/json-feed.ts";
import { html } from "../html.ts";
import type { EventFeed } from "./event-feed.ts";
import { feedPage } from "./feed-page.ts";
import { xmlCharacters, xmlText } from "./xml.ts";

/** Browsers show XML, and save `application/rss+xml` to a file. Feed readers find a feed by the type in the `<link>` of a page. */
export const FEED_TYPE = "text/xml; charset=utf-8";
export const JSON_FEED_TYPE = "application/feed+json; charset=utf-8";

/** Browsers are removing XSLT; style sheets stay. */
const STYLE = `<?xml-stylesheet type="text/css" href="/feed.css"?>`;
const SPECIFICATION = "https://www.rssboard.org/rss-specification";

/** With a readable part for browsers, as Atom has. A description is HTML in readers of RSS, that of the channel too. */
export function rss(feed: EventFeed): string {
  const text = packaged(kept({ ...feed, description: asHtml(feed.description) }), xmlText).rss2();
  return readable(
    text.replaceAll("<title><![CDATA[", "<title>").replaceAll("]]></title>", "</title>"),
    "</channel>",
    feed,
    feed.urls.rss,
  );
}

export function atom(feed: EventFeed): string {
  const text = packaged(kept(feed), xmlText).atom1();
  const titled = text
    .replaceAll('<title type="html"><![CDATA[', '<title type="text">')
    .replaceAll("]]></title>", "</title>");
  return readable(titled, "</feed>", feed, feed.urls.atom);
}

/** In title and description of the feed itself the XML writer takes `&amp;` for `&`. */
function kept(feed: EventFeed): EventFeed {
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
    items: feed.items.map(({ id, url, title, text, date }) => ({
      id,
      url,
      title,
      content_text: text,
      date_published: date,
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
    author: { name: SERVICE }, // Atom asks for one
    generator: false,
    feedLinks: { rss: urls.rss, atom: urls.atom, json: urls.json_feed },
  });
  for (const { id, title, text, url, date } of items) {
    const time = new Date(date);
    feed.addItem({
      id: tagOf(urls.atom, id),
      guid: id,
      title: itemTitle(title),
      link: url,
      date: time,
      published: time,
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
