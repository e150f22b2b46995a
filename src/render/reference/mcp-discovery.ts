/** Discovery files of the MCP server. They do not list its tools: `tools/list` and the contract do. */

import { mcpServerFacts, PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import type { JsonObject } from "../../kernel/text/canonical-json.ts";
import { mcpUrl } from "../../resources/links.ts";

const SCHEMAS = "https://static.modelcontextprotocol.io/schemas";

export const SERVER_CARD_PATH = "/mcp/server-card";
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";
export const AI_CATALOG_TYPE = "application/ai-catalog+json";
export const TRANSPORT = "streamable-http";

/** The server card (SEP-2127), which clients read before they connect. */
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

/** The catalog that leads from the host name to the server card. */
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

/** The entry for the MCP registry (`server.json`, format of 2025-12-11), ready to submit. */
export function registryEntry(baseUrl: string): JsonObject {
  return {
    $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
    ...mcpServerFacts(baseUrl),
    remotes: [{ type: TRANSPORT, url: mcpUrl(baseUrl) }],
  };
}
