import { isIP } from "node:net";
import { z } from "zod";
import { CityIndexResponse, RankedEntity } from "../cities/city.ts";
import { CityRef } from "../cities/coverage.ts";
import { PulseResponse } from "../cities/pulse.ts";
import { ClaimState, OnlinePresence, RankingState } from "../enums.ts";
import { inlineJsonSchema } from "../json-schema.ts";
import { LIMITS, MCP_LIMITS } from "../limits.ts";
import { API_VERSION } from "../versions.ts";
import {
  byNameOrId,
  checkBusinessReality,
  checkPhysicalEvidence,
  context,
  EXAMPLE_CITY,
  EXAMPLE_NAME,
  type ToolContract,
  tool,
} from "./evidence-tools.ts";
import {
  BusinessName,
  Candidates,
  CitationUrl,
  CityInput,
  ExampleOnly,
  Match,
  ScoreInShort,
} from "./fields.ts";

/** The six MCP tools (interface 4.21): names, descriptions, inputs and outputs. src/mcp implements them. */

/** Annotations of every tool: read-only, idempotent, over a closed, published data set. */
export const TOOL_ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

export const MCP_INSTRUCTIONS = [
  "Evidence that brands and assets were physically seen, city by city, backed by a public ledger.",
  "For one business, use check_physical_evidence (a sentence to quote) or get_physical_presence (identity and score). For 2 to 10 businesses, use compare_presence. For a city's ranking, use city_index. For recent changes, use get_pulse.",
  "When a name matches several records, call the tool again with the public_id of a candidate. A missing record never proves absence or closure: read coverage_context before you conclude anything. Quote `citation` as returned.",
].join(" ");

export const getPhysicalPresence = tool({
  name: "get_physical_presence",
  title: "Find a business's Presence Record",
  description:
    "Finds the Presence Record of one business in one city and returns its identifier, reviewed identity and Physical Presence Score. Use it to learn whether and under which name a business is recorded. For a sentence to quote, use check_physical_evidence; for several names, compare_presence. Pass either business_name or public_id. When the name matches several records, `found` is false and `candidates` lists them: call the tool again with the public_id of one. `found: false` is never evidence of absence: see coverage_context.",
  input: z.strictObject({ ...byNameOrId, city: CityInput }),
  output: z.looseObject({
    found: z.boolean().describe("True when the arguments match exactly one record."),
    match: Match.optional(),
    presence_score: ScoreInShort.optional(),
    citation_url: CitationUrl.optional(),
    candidates: Candidates.optional(),
    note: z
      .string()
      .describe("How certain the record's evidence is, or what no match or several matches mean."),
    ...context,
    example_only: ExampleOnly,
  }),
  example: { business_name: EXAMPLE_NAME, city: EXAMPLE_CITY },
});

const { min, max } = MCP_LIMITS.comparedNames;
const NAMES_FAULT = `must contain ${min} to ${max} names`;

export const comparePresence = tool({
  name: "compare_presence",
  title: "Compare businesses in a city",
  description: `Looks up ${min} to ${max} businesses in one city and returns the record of each, in the order of the request. Use it instead of repeated get_physical_presence calls. Missing evidence is not treated as absence: a name without a record has no rank at all.`,
  input: z.strictObject({
    business_names: z
      .array(BusinessName)
      .min(min, NAMES_FAULT)
      .max(max, NAMES_FAULT)
      .describe(`${min} to ${max} names as shown on the signs.`),
    city: CityInput,
  }),
  output: z.looseObject({
    city: z.string().describe("Display name of the city."),
    comparison: z.array(
      z.looseObject({
        query: z.string().describe("The name as passed."),
        found: z.boolean(),
        match: Match.optional(),
        presence_score: ScoreInShort.optional(),
        citation_url: CitationUrl.optional(),
        candidates: Candidates.optional(),
      }),
    ),
    note: z.string(),
    ...context,
    example_only: ExampleOnly,
  }),
  example: { business_names: [EXAMPLE_NAME, "Example Signmaker", "Example Nowhere"], city: EXAMPLE_CITY },
});

const cursor = z
  .string()
  .regex(/^[\w.~-]{1,1024}$/, "must be the next_cursor of an earlier result")
  .optional()
  .describe("`next_cursor` of the previous page. Opaque; pass the same other arguments.");

const nextCursor = z
  .string()
  .optional()
  .describe("Pass it as `cursor` to get the next page. Absent on the last page.");

const LIMIT_FAULT = `must be a whole number between 1 and ${MCP_LIMITS.cityIndex.max}`;

const ranked = RankedEntity.shape;
const index = CityIndexResponse.shape;

export const cityIndexTool = tool({
  name: "city_index",
  title: "Read a city's ranking",
  description:
    "Lists a city's Presence Records, ranked ones first, with exact totals. Optional filters: industry, online presence, ranking state and claim. All pages come from one frozen snapshot: pass `next_cursor` as `cursor`, with the same filters, until `has_more` is false. Use it for overviews and counts; for a named business, use get_physical_presence. The list contains observed businesses, not every business of the city.",
  input: z.strictObject({
    city: CityInput,
    limit: z
      .int(LIMIT_FAULT)
      .min(1, LIMIT_FAULT)
      .max(MCP_LIMITS.cityIndex.max, LIMIT_FAULT)
      .default(MCP_LIMITS.cityIndex.default)
      .describe("Maximum number of records to return."),
    industry: z
      .string()
      .regex(/^([A-V]|\d{2,4})$/, "must be an ISIC Rev. 5 code: a section letter or 2 to 4 digits")
      .optional()
      .describe("Only this ISIC Rev. 5 industry and everything below it."),
    online_presence: OnlinePresence.optional().describe(
      "Only records with this result of the last online check.",
    ),
    ranking_state: RankingState.optional().describe("Only records in this ranking state."),
    claim_status: ClaimState.optional().describe(
      "Only records in this claim state; `claimed` includes verified records.",
    ),
    cursor,
  }),
  output: z.looseObject({
    city: CityRef,
    filters: z
      .looseObject({
        industry: index.industry,
        online_presence: OnlinePresence.nullable().describe("The online-presence filter; null when omitted."),
        ranking_state: index.ranking_state,
        claim_status: index.claim_status,
      })
      .describe("The filters that apply to the counts and the list."),
    returned_count: index.returned_count,
    total_count: index.total_count,
    has_more: index.has_more,
    next_cursor: nextCursor,
    snapshot_id: index.snapshot_id,
    rankings: z.array(
      z.looseObject({
        rank: ranked.rank,
        public_id: ranked.public_id,
        name: ranked.name,
        record_type: ranked.record_type,
        record_url: ranked.record_url,
        pps: ranked.pps,
        pps_without_any_one_observer: ranked.pps_without_any_one_observer,
        gate_holds_without_any_one_observer: ranked.gate_holds_without_any_one_observer,
        ranking_gate: ranked.ranking_gate,
        identity_hierarchy: ranked.identity_hierarchy,
      }),
    ),
    ranking_summary: index.ranking_summary,
    ...context,
    example_only: ExampleOnly,
  }),
  example: { city: EXAMPLE_CITY, limit: 2 },
});

const pulse = PulseResponse.shape;

export const getPulseTool = tool({
  name: "get_pulse",
  title: "Read what changed in a city",
  description: `Lists the newest change events of a city: new records, new assets, wrapped fleets, stale assets, digital gaps. Use it to follow a city or to list changes since a date; for one business, use get_physical_presence. Closures, rebrands and vacancies are never derived. A page has ${LIMITS.pulse.default} events, and all pages come from one frozen snapshot: pass \`next_cursor\` as \`cursor\` until \`has_more\` is false.`,
  input: z.strictObject({
    city: CityInput,
    since: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], "must be an ISO 8601 date or time")
      .optional()
      .describe("Only events detected at or after this date. Default: the last 30 days."),
    cursor,
  }),
  output: z.looseObject({
    city: CityRef,
    since: pulse.since,
    events: pulse.events,
    total_events: pulse.summary.shape.total_events,
    total_count: pulse.total_count,
    has_more: pulse.has_more,
    next_cursor: nextCursor,
    feeds: pulse.feeds,
    ...context,
    example_only: ExampleOnly,
  }),
  example: { city: EXAMPLE_CITY, since: "2026-06-01" },
});

/** Tools in listing order. */
export const TOOLS: readonly ToolContract[] = [
  getPhysicalPresence,
  comparePresence,
  cityIndexTool,
  checkPhysicalEvidence,
  checkBusinessReality,
  getPulseTool,
];

/** A tool as listed by `tools/list`. Schemas are self-contained JSON Schema 2020-12. */
export type PublishedTool = ReturnType<typeof publishedTool>;

/** Returns the published form of a tool, shared by the server and `/mcp/contract.json`. */
export function publishedTool({ name, title, description, input, output }: ToolContract) {
  return {
    name,
    title,
    description,
    inputSchema: inlineJsonSchema(input, "input"),
    outputSchema: inlineJsonSchema(output, "output"),
    annotations: TOOL_ANNOTATIONS,
  };
}

/** Identity of the MCP server, shared by `initialize`, `server/discover`, the server card and the registry entry. */

export function mcpServerFacts(baseUrl: string) {
  return {
    name: `${reverseHost(new URL(baseUrl).hostname)}/physical-presence`, // reverse DNS of the public host, a slash, the service
    title: "Physical Presence Evidence",
    version: API_VERSION,
    description: "Ledger-backed evidence that a brand or asset was physically seen, when and where.", // at most 100 characters (server card)
    websiteUrl: `${baseUrl}/`,
  };
}

/** Supported protocol versions, newest first. 2026-07-28 is stateless; the older four start with `initialize`. */
export const PROTOCOL_VERSIONS = [
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

/** Returns the host in reverse DNS form. IP addresses have no such name and count as local. */
function reverseHost(hostname: string): string {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? host.split(".").reverse().join(".") : "localhost";
}
