import { cityDataset } from "../../render/json-ld.ts";
import { cityIndex } from "../../resources/city-index.ts";
import { coverageStatus } from "../../resources/coverage-status.ts";
import { pulse } from "../../resources/pulse.ts";
import { context } from "./site.ts";

const SHOWN_RECORDS = "100";
const SHOWN_EVENTS = "10";

/** Everything a city's page shows. `urls.next` reads on where the page's table ends; null when it shows all. */
export function cityPage(slug: string) {
  const index = cityIndex.read(context, { city: slug }, { limit: SHOWN_RECORDS });
  const { coverage, message } = coverageStatus.read(context, { city: slug }, {});
  const { events } = pulse.read(context, { city: slug }, { limit: SHOWN_EVENTS });
  const indexUrl = `/api/v1/city/${slug}/index`;
  const { next_cursor } = index;
  const urls = {
    index: indexUrl,
    next: next_cursor && `${indexUrl}?${new URLSearchParams({ limit: SHOWN_RECORDS, cursor: next_cursor })}`,
    coverage: `/api/v1/coverage-status/${slug}`,
    pulse: `/api/v1/pulse/${slug}`,
    rss: `/pulse/${slug}/rss.xml`,
    csv: `/api/v1/explorer.csv?city=${slug}`,
  };
  return { index, coverage, message, events, dataset: cityDataset(context.snapshot, slug), urls };
}
