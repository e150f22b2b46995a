import { cityPaths } from "../resources/cities.ts";
import { cityFeed, type EventFeed, serviceFeed } from "./event-feed.ts";
import { JSON_FEED_TYPE, jsonFeed } from "./json-feed.ts";
import { fileRoute, fill, jsonText, type Route } from "./route.ts";
import { FEED_TYPE, rss } from "./rss.ts";

/** Change feeds of each city and of all cities, as RSS and JSON Feed. */
export const feedRoutes: readonly Route[] = [
  cityFeedRoute("getPulseRss", "/pulse/{city}/rss.xml", FEED_TYPE, rss),
  cityFeedRoute("getPulseJsonFeed", "/pulse/{city}/feed.json", JSON_FEED_TYPE, jsonFeedText),
  fileRoute("getServiceRss", "/pulse/rss.xml", FEED_TYPE, (snapshot) => rss(serviceFeed({ snapshot }))),
  fileRoute("getServiceJsonFeed", "/pulse/feed.json", JSON_FEED_TYPE, (snapshot) =>
    jsonFeedText(serviceFeed({ snapshot })),
  ),
];

function cityFeedRoute(
  operationId: string,
  path: Route["path"],
  contentType: string,
  text: (feed: EventFeed) => string,
): Route {
  return {
    operationId,
    path,
    contentType,
    ignoresUnknownQuery: true,
    filePath: (values) => fill(path, values).slice(1),
    enumerate: cityPaths,
    answer: (context, values) => text(cityFeed(context, values)),
  };
}

function jsonFeedText(feed: EventFeed): string {
  return jsonText(jsonFeed(feed));
}
