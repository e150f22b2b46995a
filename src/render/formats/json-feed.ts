import { JsonFeed } from "../../contract/service/json-feed.ts";
import type { EventFeed } from "./event-feed.ts";

export const JSON_FEED_TYPE = "application/feed+json; charset=utf-8";

/** Renders a feed as JSON Feed 1.1. */
export function jsonFeed({ title, description, page, urls, favicon, items }: EventFeed): JsonFeed {
  return JsonFeed.parse({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: page.url,
    feed_url: urls.json_feed,
    description,
    user_comment: "This is a feed: paste its URL into a feed reader to get notified of changes.",
    favicon,
    language: "en",
    items: items.map(({ id, url, title, text, date }) => ({
      id,
      url,
      title,
      content_text: text,
      date_published: date,
    })),
  } satisfies JsonFeed);
}
