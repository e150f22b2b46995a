/** Access rules, rate limits and the form of citations. `baseUrl` has no trailing slash. */
import { CURRENT_SENTENCE, type QuoteFacts, sentenceOf } from "../../contract/citation/sentences.ts";
import { FILES_NOTE, MCP_LIMITS, READS_PER_MINUTE } from "../../contract/limits.ts";
import { CITATION_NOTE, LICENSE, NO_RESULT, SERVICE } from "../../contract/records/claim-boundary.ts";
import type { SearchAiReadiness } from "../../contract/records/search.ts";
import { isoDate } from "../../kernel/time.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";
import { robotsUrl } from "../links.ts";

/** Access, rate limits and citation rules of the service. `baseUrl` has no trailing slash. */

export function accessPolicy(baseUrl: string): SearchAiReadiness["access_policy"] {
  return {
    key_required: false,
    rate_limits: {
      reads_per_minute: READS_PER_MINUTE,
      mcp_messages_per_minute: MCP_LIMITS.requestsPerMinute,
      mcp_burst: MCP_LIMITS.burst,
      note: FILES_NOTE,
    },
    robots: {
      policy: "Search engines and AI assistants are welcome to read and cite this service.",
      robots_url: robotsUrl(baseUrl),
    },
    license: LICENSE,
  };
}

const SEEN_ONCE: Omit<QuoteFacts, "treeSize" | "asOfDate"> = {
  name: "{name}",
  city: "{city}",
  isSynthetic: false,
  accepted: 1,
  states: { provisional: 1, corroborated: 0, verified: 0 },
  observers: 1,
  counted: 1,
  firstDate: "{date}",
  lastDate: "{date}",
  newest: { row: "{row}", kind: "location_presence", date: "{date}", state: "provisional" },
};

/** Citation templates with field names in place of values, built by the same functions as real citations. */
export function recommendedCitations({
  asOf,
  baseUrl,
  treeSize,
}: ReleaseRow): SearchAiReadiness["recommended_citations"] {
  const asOfDate = isoDate(asOf);
  const facts = { ...SEEN_ONCE, treeSize, asOfDate };
  return [
    {
      cites: "A record observed once by one observer",
      template: `${sentenceOf(CURRENT_SENTENCE, facts)} {citation_url}`,
      note: `Take \`citation\` of check_physical_evidence, or \`citations.suggested_citation\` of the evidence packet. ${CITATION_NOTE}`,
    },
    {
      cites: "A record without an accepted citation",
      template: `${sentenceOf(CURRENT_SENTENCE, { ...facts, accepted: 0, counted: 0, newest: null })} {citation_url}`,
      note: NO_RESULT.limitation,
    },
    {
      cites: "Aggregate figures",
      template: `${SERVICE}, data as of ${asOfDate}, ${baseUrl}/`,
      note: LICENSE,
    },
  ];
}
