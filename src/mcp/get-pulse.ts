import { getPulseTool as contract } from "../contract/mcp/tools.ts";
import { pulse } from "../resources/pulse.ts";
import { defineTool } from "./define-tool.ts";
import { findCity } from "./release-facts.ts";

export const getPulse = defineTool(contract, (context, { city: cityText, since }) => {
  const city = findCity(context, cityText);
  const feed = pulse.read(context, { city: city.slug }, since === undefined ? {} : { since });
  return {
    city: feed.city,
    since: feed.since,
    events: feed.events,
    total_events: feed.summary.total_events,
    feeds: feed.feeds,
    coverage_context: city.coverage,
    data_as_of: feed.data_as_of,
  };
});
