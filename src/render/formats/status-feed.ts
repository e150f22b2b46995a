import type { Incident } from "../../contract/service/status.ts";
import type { ReadContext } from "../../resources/define.ts";
import { statusFeedUrls } from "../../resources/links.ts";
import { LATE_PREFIX } from "../../resources/service/status-incidents.ts";
import { systemStatus } from "../../resources/service/system-status.ts";
import { type EventFeed, type FeedItem, feedFacts } from "./event-feed.ts";

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
