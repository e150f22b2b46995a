import { getPulseTool as contract } from "../../contract/mcp/tools.ts";
import { pulse } from "../../resources/cities/pulse.ts";
import { findCity } from "../release-facts.ts";
import { definedOnly, defineTool } from "./define-tool.ts";

export const getPulse = defineTool(contract, (context, { city: cityText, ...query }) => {
  const city = findCity(context, cityText);
  const feed = pulse.read(context, { city: city.slug }, definedOnly(query));
  return {
    city: feed.city,
    since: feed.since,
    events: feed.events,
    total_events: feed.summary.total_events,
    total_count: feed.total_count,
    has_more: feed.has_more,
    ...(feed.next_cursor === null ? {} : { next_cursor: feed.next_cursor }),
    feeds: feed.feeds,
    coverage_context: city.coverage,
    data_as_of: feed.data_as_of,
  };
});
