import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import { LIMITS } from "../../contract/limits.ts";
import { isoTime } from "../../kernel/time.ts";
import { latestEvents } from "../../resources/cities/latest-events.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { cityUrl, type FeedUrls, serviceFeedUrls } from "../../resources/links.ts";

type Release = Pick<ReadContext, "snapshot">;

/** Contents of a feed of change events, independent of its format. */
export interface EventFeed {
  readonly title: string;
  readonly description: string;
  readonly page: { readonly url: string; readonly name: string };
  readonly urls: FeedUrls;
  readonly favicon: string;
  readonly asOf: string; // ISO time
  readonly items: readonly FeedItem[]; // newest first
}

/** `id` is the event's, the same in every release; `date` an ISO time. */
export type FeedItem = ReturnType<typeof feedItem>;

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
      feedItem(event, `${event.headline} (${event.city.name})`),
    ),
  };
}

export function feedFacts({ snapshot }: Release): Pick<EventFeed, "favicon" | "asOf"> {
  const { baseUrl, asOf } = snapshot.release();
  return { favicon: `${baseUrl}/favicon.svg`, asOf: isoTime(asOf) };
}

function describedAs({ snapshot }: Release, text: string): string {
  if (snapshot.release().environment !== "demo") return text;
  return `${text} Demonstration: the names and observations are made up; only the cities are real.`;
}

function feedItem({ id, summary, record_url, detected_at }: ChangeEvent, title: string) {
  return { id, title, text: summary, url: record_url, date: detected_at };
}
