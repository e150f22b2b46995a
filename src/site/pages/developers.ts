import { connectExamples } from "../../render/reference/connect-examples.ts";
import { isPlainName, quickStart, WRITTEN } from "../../render/reference/quick-start.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import type { ReadContext } from "../../resources/define.ts";
import { mcpUrl } from "../../resources/links.ts";
import type { Site } from "../site.ts";

const WEBHOOKS = "receive-webhooks";

/** Data of the developers page; `quickStartText` is docs/quick-start.md. */
export function developersPage({ context, release: { baseUrl } }: Site, quickStartText: string) {
  const [city] = context.snapshot.cities();
  const values = {
    site: baseUrl,
    city: city?.slug ?? WRITTEN.city,
    name: (city && plainName(context, city.slug)) ?? WRITTEN.name,
  };
  const steps = quickStart(quickStartText, values);
  return {
    apiAddress: `${baseUrl}/api/v1`,
    mcpAddress: mcpUrl(baseUrl),
    mcpExamples: connectExamples(baseUrl, city?.slug),
    steps: steps.filter(({ id }) => id !== WEBHOOKS),
    receivers: steps.find(({ id }) => id === WEBHOOKS),
  };
}

/** Name of the first ranked record that is safe to insert into a program. */
function plainName(context: ReadContext, city: string): string | undefined {
  return cityIndex
    .read(context, { city }, {})
    .rankings.map(({ name }) => name)
    .find(isPlainName);
}
