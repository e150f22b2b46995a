import { MCP_LIMITS } from "../../contract/limits.ts";
import {
  checkBusinessReality,
  checkPhysicalEvidence,
  EvidenceVerdict,
  RealityVerdict,
  type ToolContract,
  VERDICT_TEXT,
} from "../../contract/mcp/evidence-tools.ts";
import {
  MCP_INSTRUCTIONS,
  mcpServerFacts,
  PROTOCOL_VERSIONS,
  publishedTool,
  TOOLS,
} from "../../contract/mcp/tools.ts";
import type { SiteNamed } from "../../contract/records/claim-boundary.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { mcpUrl } from "../../resources/links.ts";
import { contractVersions } from "./api-examples.ts";
import type { ToolExamples } from "./examples.ts";

export interface McpContractInputs extends Partial<SiteNamed> {
  readonly baseUrl: string; // no trailing slash
  readonly sourceRevision: string;
  readonly examples: ToolExamples;
}

/** `/mcp/contract.json`: everything that clients can rely on. Throws when a tool has no example. */
export function mcpContract({
  baseUrl,
  sourceRevision,
  examples,
  siteName = null,
}: McpContractInputs): JsonObject {
  return {
    ...contractVersions(sourceRevision),
    server: { ...mcpServerFacts(baseUrl, { siteName }) },
    endpoint: { url: mcpUrl(baseUrl), transport: TRANSPORT, protocol_versions: PROTOCOL_VERSIONS },
    instructions: MCP_INSTRUCTIONS,
    tools: TOOLS.map((tool) => toolEntry(tool, examples)),
    verdicts: {
      [checkPhysicalEvidence.name]: meanings(EvidenceVerdict.options),
      [checkBusinessReality.name]: meanings(RealityVerdict.options),
    },
    limits: LIMITS,
    deprecations: TOOLS.flatMap(({ name, deprecated }) =>
      deprecated === undefined ? [] : [{ tool: name, ...deprecationOf(deprecated) }],
    ),
    versioning: VERSIONING,
  };
}

/** The tool as in `tools/list`, but with whole output schemas and details that the protocol has no place for. */
function toolEntry(tool: ToolContract, examples: ToolExamples): JsonObject {
  const { name, deprecated, example } = tool;
  const result = examples.get(name);
  if (result === undefined)
    throw new Error(`the tool ${name} has no example result: make the examples again`);
  return {
    ...publishedTool(tool),
    ...(deprecated === undefined ? {} : { deprecated: deprecationOf(deprecated) }),
    example: { arguments: JSON.parse(JSON.stringify(example)), result },
  };
}

function deprecationOf({ replacement, removal_after }: NonNullable<ToolContract["deprecated"]>) {
  return { replacement, removal_after };
}

function meanings(verdicts: readonly (keyof typeof VERDICT_TEXT)[]): JsonObject {
  return Object.fromEntries(verdicts.map((verdict) => [verdict, VERDICT_TEXT[verdict]]));
}

const LIMITS = {
  requests_per_minute: MCP_LIMITS.requestsPerMinute,
  burst: MCP_LIMITS.burst,
  counted: "Per client address. Each message of a batch counts as one request.",
  batch_messages: MCP_LIMITS.batchMessages,
  body_bytes: MCP_LIMITS.bodyBytes,
  deadline_ms: MCP_LIMITS.deadlineMs,
  compared_names: MCP_LIMITS.comparedNames,
  city_index: MCP_LIMITS.cityIndex,
  get_pulse: MCP_LIMITS.pulse,
  candidates: MCP_LIMITS.candidates,
};

const VERSIONING =
  "Fields, tools and optional arguments may be added at any time; clients must ignore those they do not know. Before anything is removed, renamed or changed in meaning, `deprecations` lists it with its earliest removal date.";

/** Discovery files of the MCP server. They do not list its tools: `tools/list` and the contract do. */

const SCHEMAS = "https://static.modelcontextprotocol.io/schemas";

export const SERVER_CARD_PATH = "/mcp/server-card";
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";
export const AI_CATALOG_TYPE = "application/ai-catalog+json";
export const TRANSPORT = "streamable-http";

interface ServerFacts extends SiteNamed {
  readonly baseUrl: string; // no trailing slash
}

/** The server card (SEP-2127), which clients read before they connect. */
export function serverCard({ baseUrl, siteName }: ServerFacts): JsonObject {
  const remote = {
    type: TRANSPORT,
    url: mcpUrl(baseUrl),
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  };
  return {
    $schema: `${SCHEMAS}/v1/server-card.schema.json`,
    ...mcpServerFacts(baseUrl, { siteName }),
    remotes: [remote],
  };
}

/** The catalog that leads from the host name to the server card. */
export function aiCatalog({ baseUrl, siteName }: ServerFacts): JsonObject {
  const { name, title } = mcpServerFacts(baseUrl, { siteName });
  const [, shortName] = name.split("/");
  return {
    specVersion: "1.0",
    entries: [
      {
        identifier: `urn:air:${new URL(baseUrl).hostname}:mcp:${shortName}`,
        displayName: title,
        type: SERVER_CARD_TYPE,
        url: `${baseUrl}${SERVER_CARD_PATH}`,
      },
    ],
  };
}

/** The entry for the MCP registry (`server.json`, format of 2025-12-11), ready to submit. */
export function registryEntry({ baseUrl, siteName }: ServerFacts): JsonObject {
  return {
    $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
    ...mcpServerFacts(baseUrl, { siteName }),
    remotes: [{ type: TRANSPORT, url: mcpUrl(baseUrl) }],
  };
}
