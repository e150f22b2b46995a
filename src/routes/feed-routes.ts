import { fillPath } from "../kernel/text/path-template.ts";
import { cityFeed, type EventFeed, serviceFeed } from "../render/formats/event-feed.ts";
import { atom, FEED_TYPE, JSON_FEED_TYPE, jsonFeed, rss } from "../render/formats/feeds.ts";
import { jsonText } from "../render/formats/media-types.ts";
import { statusFeed } from "../render/formats/status-feed.ts";
import { cityPaths } from "../resources/cities/cities.ts";
import { fileRoute, type Route } from "./route.ts";

interface Format {
  readonly name: string; // in operation ids
  readonly file: string;
  readonly contentType: string;
  text(feed: EventFeed): string;
}

const FORMATS: readonly Format[] = [
  { name: "Rss", file: "rss.xml", contentType: FEED_TYPE, text: rss },
  { name: "Atom", file: "atom.xml", contentType: FEED_TYPE, text: atom },
  {
    name: "JsonFeed",
    file: "feed.json",
    contentType: JSON_FEED_TYPE,
    text: (feed) => jsonText(jsonFeed(feed)),
  },
];

/** Change feeds of each city and of all of them together, and the feed of incidents, in every format. */
export const feedRoutes: readonly Route[] = [
  ...FORMATS.map(cityFeedRoute),
  ...FORMATS.map(({ name, file, contentType, text }) =>
    fileRoute(`getService${name}`, `/pulse/${file}`, contentType, (snapshot) =>
      text(serviceFeed({ snapshot })),
    ),
  ),
  ...FORMATS.map(statusFeedRoute),
];

function statusFeedRoute({ name, file, contentType, text }: Format): Route {
  return {
    operationId: `getStatus${name}`,
    path: `/status/${file}`,
    contentType,
    ignoresUnknownQuery: true,
    filePath: () => `status/${file}`,
    enumerate: () => [{}],
    answer: (context) => text(statusFeed(context)),
  };
}

function cityFeedRoute({ name, file, contentType, text }: Format): Route {
  const path = `/pulse/{city}/${file}` as const;
  return {
    operationId: `getPulse${name}`,
    path,
    contentType,
    ignoresUnknownQuery: true,
    filePath: (values) => fillPath(path, values).slice(1),
    enumerate: cityPaths,
    answer: (context, values) => text(cityFeed(context, values)),
  };
}
