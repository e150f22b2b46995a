/** The subset of JSON Feed 1.1 (jsonfeed.org) that the service writes. */

import { z } from "zod";
import { Timestamp, Uri } from "../fields.ts";

const JsonFeedItem = z.strictObject({
  id: z.string().min(1),
  url: Uri,
  title: z.string().min(1),
  content_text: z.string().min(1), // an item has content_text or content_html
  date_published: Timestamp, // RFC 3339
});

export const JsonFeed = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string().min(1),
  home_page_url: Uri,
  feed_url: Uri,
  description: z.string(),
  user_comment: z.string(), // for a person who sees the JSON
  favicon: Uri,
  language: z.literal("en"), // RFC 5646
  items: z.array(JsonFeedItem),
});
export type JsonFeed = z.infer<typeof JsonFeed>;
