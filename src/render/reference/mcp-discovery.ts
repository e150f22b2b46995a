import { mcpServerFacts, PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { mcpUrl } from "../../resources/links.ts";

/** How clients and registries find the MCP server. None of these lists its tools: `tools/list` and the contract do. */

const SCHEMAS = "https://static.modelcontextprotocol.io/schemas";

export const SERVER_CARD_PATH = "/mcp/server-card";
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";
export const AI_CATALOG_TYPE = "application/ai-catalog+json";
export const TRANSPORT = "streamable-http";

/** SEP-2127: what a client may know before it connects. */
export function serverCard(baseUrl: string): JsonObject {
  const remote = {
    type: TRANSPORT,
    url: mcpUrl(baseUrl),
    supportedProtocolVersions: PROTOCOL_VERSIONS,
  };
  return {
    $schema: `${SCHEMAS}/v1/server-card.schema.json`,
    ...mcpServerFacts(baseUrl),
    remotes: [remote],
  };
}

/** Where a client that knows the host alone finds the card. */
export function aiCatalog(baseUrl: string): JsonObject {
  const { name, title } = mcpServerFacts(baseUrl);
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

/** The entry for the MCP registry (`server.json`, format of 2025-12-11), ready to be handed in. */
export function registryEntry(baseUrl: string): JsonObject {
  return {
    $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
    ...mcpServerFacts(baseUrl),
    remotes: [{ type: TRANSPORT, url: mcpUrl(baseUrl) }],
  };
}
