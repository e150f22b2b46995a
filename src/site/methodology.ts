import { methodologyFigures } from "../../resources/methodology-figures.ts";
import { searchAiReadiness } from "../../resources/search-ai-readiness.ts";
import type { Site } from "../../site/site.ts";

/** What the methodology came to in this release. */
export function methodologyPage({ context }: Site) {
  const { summary } = searchAiReadiness.read(context, {}, {});
  return { figures: methodologyFigures(context), ages: summary.freshness_distribution };
}
