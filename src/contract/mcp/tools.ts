import { isIP } from "node:net";
import { z } from "zod";
import { CityIndexResponse, RankedEntity } from "../cities/city.ts";
import { CityRef } from "../cities/coverage.ts";
import { PulseResponse } from "../cities/pulse.ts";
import { ClaimState, OnlinePresence, RankingState } from "../enums.ts";
import { inlineJsonSchema } from "../json-schema.ts";
import { MCP_LIMITS } from "../limits.ts";
import { type SiteNamed, shortServiceName } from "../records/claim-boundary.ts";
import { LastSeen } from "../records/entity.ts";
import { SimilarNames } from "../records/search.ts";
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
  AnyCityInput,
  BusinessName,
  Candidates,
  CitationCount,
  CitationUrl,
  CityInList,
  CityInput,
  CitySlug,
  CoverageContext,
  DataAsOf,
  DetailInput,
  EventInShort,
  ExampleOnly,
  GateInShort,
  IdentityInShort,
  Match,
  SameNameIn,
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
  "Leave `city` out when you do not know it. When a name matches several records, call the tool again with the public_id of a candidate. A missing record never proves absence or closure: read coverage_context before you conclude anything. Quote `citation` as returned.",
].join(" ");

export const getPhysicalPresence = tool({
  name: "get_physical_presence",
  title: "Find a business's Presence Record",
  description:
    "Finds the Presence Record of one business, in a city or, without city, in all covered ones. Returns its identifier, reviewed identity and Physical Presence Score. Use it to learn whether and under which name a business is recorded. For a sentence to quote, use check_physical_evidence; for several names, compare_presence. Pass either business_name or public_id. When the name matches several records, `found` is false and `candidates` lists them: call the tool again with the public_id of one. `found: false` is never evidence of absence: see coverage_context.",
  input: z.strictObject({ ...byNameOrId, city: AnyCityInput, detail: DetailInput }),
  output: z.looseObject({
    found: z.boolean().describe("True when the arguments match exactly one record."),
    match: Match.optional(),
    presence_score: ScoreInShort.optional(),
    citation_count: CitationCount,
    citation_url: CitationUrl.optional(),
    last_seen: LastSeen.optional(),
    candidates: Candidates.optional(),
    same_name_in: SameNameIn,
    similar_names: SimilarNames.optional(),
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
    detail: DetailInput,
  }),
  output: z.looseObject({
    city: z.string().describe("Display name of the city."),
    city_slug: CitySlug,
    comparison: z.array(
      z.looseObject({
        query: z.string().describe("The name as passed."),
        found: z.boolean(),
        match: Match.optional(),
        presence_score: ScoreInShort.optional(),
        citation_count: CitationCount,
        citation_url: CitationUrl.optional(),
        last_seen: LastSeen.optional(),
        candidates: Candidates.optional(),
        same_name_in: SameNameIn,
        similar_names: SimilarNames.optional(),
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

function limitOf(rows: string, limits: { readonly default: number; readonly max: number }) {
  const fault = `must be a whole number between 1 and ${limits.max}`;
  return z
    .int(fault)
    .min(1, fault)
    .max(limits.max, fault)
    .default(limits.default)
    .describe(`Maximum number of ${rows} to return.`);
}

const ranked = RankedEntity.shape;
const index = CityIndexResponse.shape;

export const cityIndexTool = tool({
  name: "city_index",
  title: "Read a city's ranking",
  description:
    "Lists a city's Presence Records, ranked ones first, with exact totals. Optional filters: industry, online presence, ranking state and claim. All pages come from one frozen snapshot: pass `next_cursor` as `cursor`, with the same filters, until `has_more` is false. Without city, it lists the covered cities instead. Use it for overviews and counts; for a named business, use get_physical_presence. The list contains observed businesses, not every business of the city.",
  input: z.strictObject({
    city: CityInput.optional().describe(
      "Slug or display name of one covered city. Omit it to list the covered cities: pass no filters then.",
    ),
    limit: limitOf("records or cities", MCP_LIMITS.cityIndex),
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
    detail: DetailInput,
    cursor,
  }),
  output: z.looseObject({
    city: CityRef.optional().describe("The city; absent without one."),
    filters: z
      .looseObject({
        industry: index.industry,
        online_presence: OnlinePresence.nullable().describe("The online-presence filter; null when omitted."),
        ranking_state: index.ranking_state,
        claim_status: index.claim_status,
      })
      .describe("The filters that apply to the counts and the list."),
    returned_count: index.returned_count.describe("Records on this page or, without a city, cities."),
    total_count: index.total_count.describe(
      "Records that match the filters, dissolved ones excluded; without a city, covered cities.",
    ),
    has_more: index.has_more,
    next_cursor: nextCursor,
    snapshot_id: index.snapshot_id,
    cities: z.array(CityInList).optional().describe("The covered cities, only without a city."),
    rankings: z
      .array(
        z.looseObject({
          rank: ranked.rank,
          public_id: ranked.public_id,
          name: ranked.name,
          is_synthetic: ranked.is_synthetic,
          record_type: ranked.record_type,
          record_url: ranked.record_url,
          pps: ranked.pps,
          pps_without_any_one_observer: ranked.pps_without_any_one_observer.optional(),
          gate_holds_without_any_one_observer: ranked.gate_holds_without_any_one_observer.optional(),
          ranking_gate: GateInShort,
          identity_hierarchy: IdentityInShort,
        }),
      )
      .describe("Empty without a city."),
    ranking_summary: index.ranking_summary,
    coverage_context: CoverageContext,
    data_as_of: DataAsOf,
    example_only: ExampleOnly,
  }),
  example: { city: EXAMPLE_CITY, limit: 2 },
});

const pulse = PulseResponse.shape;

export const getPulseTool = tool({
  name: "get_pulse",
  title: "Read what changed in a city",
  description: `Lists the newest change events of a city: new records, new assets, wrapped fleets, stale assets, digital gaps. Use it to follow a city or to list changes since a date; for one business, use get_physical_presence. Closures, rebrands and vacancies are never derived. All pages come from one frozen snapshot: pass \`next_cursor\` as \`cursor\` until \`has_more\` is false.`,
  input: z.strictObject({
    city: CityInput,
    since: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], "must be an ISO 8601 date or time")
      .optional()
      .describe("Only events detected at or after this date. Default: the last 30 days."),
    limit: limitOf("events", MCP_LIMITS.pulse),
    detail: DetailInput,
    cursor,
  }),
  output: z.looseObject({
    city: CityRef,
    since: pulse.since,
    events: z.array(EventInShort).describe("Newest first."),
    total_events: pulse.summary.shape.total_events,
    total_count: pulse.total_count,
    has_more: pulse.has_more,
    next_cursor: nextCursor,
    feeds: pulse.feeds.optional().describe("With `detail: full`."),
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

/** Returns the published form of a tool, as `/mcp/contract.json` has it. */
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

/**
 * The same tool as `tools/list` has it: every client puts the list into the context of its model, so the output schema names types
 * alone and goes no deeper than the members of the result.
 */
export function listedTool(tool: ToolContract) {
  const published = publishedTool(tool);
  return { ...published, outputSchema: ShallowObject.parse(published.outputSchema) };
}

/** What is left of a member's schema: its type, and that of a list's items. */
const Shallow = z.object({
  type: z.string().optional(),
  get anyOf() {
    return z.array(Shallow).optional();
  },
  get items() {
    return Shallow.optional();
  },
});

const ShallowObject = z.object({
  type: z.literal("object"),
  properties: z.record(z.string(), Shallow),
  required: z.array(z.string()),
});

/** Identity of the MCP server, shared by `initialize`, `server/discover`, the server card and the registry entry. */

export function mcpServerFacts(baseUrl: string, named: SiteNamed) {
  return {
    name: `${reverseHost(new URL(baseUrl).hostname)}/physical-presence`, // reverse DNS of the public host, a slash, the service
    title: shortServiceName(named),
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
