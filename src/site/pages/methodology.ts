import { methodologyFigures } from "../../resources/service/methodology-figures.ts";
import { searchAiReadiness } from "../../resources/service/search-ai-readiness.ts";
import type { Site } from "../site.ts";

/** Results of the methodology in this release. */
export function methodologyPage({ context }: Site) {
  const { summary } = searchAiReadiness.read(context, {}, {});
  return { figures: methodologyFigures(context), ages: summary.freshness_distribution };
}
