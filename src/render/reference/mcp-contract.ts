import { MCP_LIMITS } from "../../contract/limits.ts";
import {
  checkBusinessReality,
  checkPhysicalEvidence,
  EvidenceVerdict,
  RealityVerdict,
} from "../../contract/mcp/evidence-tools.ts";
import { publishedTool } from "../../contract/mcp/published-tool.ts";
import { mcpServerFacts, PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import type { ToolContract } from "../../contract/mcp/tool-contract.ts";
import { MCP_INSTRUCTIONS, TOOLS } from "../../contract/mcp/tools.ts";
import { VERDICT_TEXT } from "../../contract/mcp/verdicts.ts";
import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { mcpUrl } from "../../resources/links.ts";
import { contractVersions } from "./api-examples.ts";
import { TRANSPORT } from "./mcp-discovery.ts";
import type { ToolExamples } from "./tool-examples.ts";

export interface McpContractInputs {
  readonly baseUrl: string; // no trailing slash
  readonly sourceRevision: string;
  readonly examples: ToolExamples;
}

/** `/mcp/contract.json`: everything that clients can rely on. Throws when a tool has no example. */
export function mcpContract({ baseUrl, sourceRevision, examples }: McpContractInputs): JsonObject {
  return {
    ...contractVersions(sourceRevision),
    server: { ...mcpServerFacts(baseUrl) },
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

/** The tool as in `tools/list`, plus details that the protocol has no place for. */
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
  candidates: MCP_LIMITS.candidates,
};

const VERSIONING =
  "Fields, tools and optional arguments may be added at any time; clients must ignore those they do not know. Before anything is removed, renamed or changed in meaning, `deprecations` lists it with its earliest removal date.";
