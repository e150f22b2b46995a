import { DOES_NOT_PROVE, PRESENCE_KIND_TEXT } from "../../contract/records/claim-boundary.ts";
import { connectExamples } from "../../render/reference/connect-examples.ts";
import { mcpUrl } from "../../resources/links.ts";
import type { Site } from "../site.ts";

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
