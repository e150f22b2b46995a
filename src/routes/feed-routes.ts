import { cityFeed, type EventFeed, serviceFeed } from "../render/formats/event-feed.ts";
import { JSON_FEED_TYPE, jsonFeed } from "../render/formats/json-feed.ts";
import { jsonText } from "../render/formats/media-types.ts";
import { FEED_TYPE, rss } from "../render/formats/rss.ts";
import { cityPaths } from "../resources/cities/cities.ts";
import { fileRoute, fill, type Route } from "./route.ts";

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
