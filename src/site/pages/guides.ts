import { DOES_NOT_PROVE, PRESENCE_KIND_TEXT } from "../../contract/records/claim-boundary.ts";
import { attributionText } from "../../render/formats/exports.ts";
import { apiReference } from "../../render/reference/api-reference.ts";
import { connectExamples, isPlainName, quickStart, WRITTEN } from "../../render/reference/quick-start.ts";
import { cityIndex } from "../../resources/cities/city-index.ts";
import type { ReadContext } from "../../resources/define.ts";
import { mcpUrl } from "../../resources/links.ts";
import { methodologyFigures } from "../../resources/service/methodology-figures.ts";
import { searchAiReadiness } from "../../resources/service/search-ai-readiness.ts";
import { perSite, type Site } from "../site.ts";

/** Release-dependent data of the page for agents. */
export function agentsPage({ context, release: { baseUrl } }: Site) {
  const [city] = context.snapshot.cities();
  return {
    mcpAddress: mcpUrl(baseUrl),
    examples: connectExamples(baseUrl, city?.slug),
    kinds: Object.entries(PRESENCE_KIND_TEXT).map(([term, text]) => ({ term, text })),
    doesNotProve: DOES_NOT_PROVE,
  };
}

/** API reference of a release, read once for all its pages. */
export const reference = perSite((site) =>
  apiReference(JSON.parse(site.text("openapi.json")), JSON.parse(site.text("api-examples.json"))),
);

/** An operation with its group. Throws when the release has none of this id. */
export function operationPage(site: Site, id: string) {
  for (const group of reference(site).groups) {
    const operation = group.operations.find((each) => each.id === id);
    if (operation !== undefined) return { group, operation };
  }
  throw new Error(`no operation ${id} in this release`);
}

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

/** URL of the font licenses, served by src/pages/licence/fonts.txt.ts. */
export const FONT_LICENCES = "/licence/fonts.txt";

/** Attribution line for aggregate figures, as required by CC BY 4.0. */
export function licencePage({ release }: Site) {
  return { attribution: attributionText(release) };
}

/** Results of the methodology in this release. */
export function methodologyPage({ context }: Site) {
  const { summary } = searchAiReadiness.read(context, {}, {});
  return { figures: methodologyFigures(context), ages: summary.freshness_distribution };
}
