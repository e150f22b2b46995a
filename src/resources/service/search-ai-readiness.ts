import { NoParams } from "../../contract/params.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { SearchAiReadiness } from "../../contract/records/search-ai-readiness.ts";
import { CONTRACT_STATUS, SCHEMA } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import { defineResource } from "../define.ts";
import { agentsUrl } from "../links.ts";
import { timeOrNull } from "../plain-values.ts";
import { SURFACES, surfaceUrl } from "../surfaces.ts";
import { accessPolicy, recommendedCitations } from "./access-policy.ts";
import { usageVisibility } from "./machine-activity.ts";
import { readinessSummary } from "./readiness-summary.ts";
import { statusFields, systemStatus } from "./system-status.ts";

const PATH = "/api/v1/search-ai-readiness";

export const searchAiReadiness = defineResource({
  operationId: "getSearchAiReadiness",
  path: PATH,
  summary: "Get contents, freshness and citation rules for search engines and AI assistants",
  description:
    "All figures cover the current release. `usage_visibility` states where to find request counts.",
  pathParams: {},
  query: NoParams.shape,
  wire: SearchAiReadiness,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load(context) {
    const { snapshot } = context;
    const release = snapshot.release();
    const { asOf, baseUrl, lastSealAt } = release;
    return {
      schema: SCHEMA.searchAiReadiness,
      generated_at: isoTime(asOf),
      status: CONTRACT_STATUS,
      canonical_url: agentsUrl(baseUrl),
      machine_json_url: `${baseUrl}${PATH}`,
      summary: readinessSummary(snapshot),
      surfaces: surfaces(baseUrl),
      access_policy: accessPolicy(baseUrl),
      freshness: {
        data_as_of: isoTime(asOf),
        ...statusFields(context),
        latest_seal_at: timeOrNull(lastSealAt),
        status_url: `${baseUrl}${systemStatus.path}`,
        note: FRESHNESS_NOTE,
      },
      usage_visibility: usageVisibility(release),
      limitations: LIMITATIONS,
      recommended_citations: recommendedCitations(release),
    };
  },
});

const FRESHNESS_NOTE =
  "All responses describe the same time, `data_as_of`, and a new release replaces them together. Newer ledger rows await their seal. `current_status` applies to `status_as_of` and changes at `valid_until` if no newer release is published. `status_url` returns the status at the time of the request.";

const LIMITATIONS = [
  `Nothing found: ${NO_RESULT.meaning} ${NO_RESULT.limitation}`,
  "Counts cover published data, not all businesses or assets of a city.",
  "Coverage differs by city: figures of one city say nothing about another.",
  "Records marked `is_synthetic` are demonstration data. Totals include them, and `synthetic_entities` counts them separately.",
];

function surfaces(baseUrl: string): SearchAiReadiness["surfaces"] {
  return SURFACES.map((surface) => ({
    name: surface.id,
    title: surface.title,
    url: surfaceUrl(baseUrl, surface),
    media_type: surface.mediaType,
    purpose: surface.purpose,
  }));
}
