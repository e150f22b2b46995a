/** Copyable examples: client configurations and manual calls of the MCP server. */

import { mcpServerFacts, type PROTOCOL_VERSIONS } from "../../contract/mcp/server.ts";
import { cityIndexTool } from "../../contract/mcp/tools.ts";
import { mcpUrl } from "../../resources/links.ts";

export interface ConnectExample {
  readonly label: string;
  readonly text: string;
}

// The newest version that starts with `initialize`, which all clients and plain `curl` support.
const HANDSHAKE_VERSION: (typeof PROTOCOL_VERSIONS)[number] = "2025-11-25";

/** Returns the examples. `city` is the slug of a covered city, so the call works unchanged; `baseUrl` has no trailing slash. */
export function connectExamples(
  baseUrl: string,
  city: string = cityIndexTool.example.city,
): readonly ConnectExample[] {
  const url = mcpUrl(baseUrl);
  const [, name = ""] = mcpServerFacts(baseUrl).name.split("/");
  const server = { [name]: { type: "http", url } };
  return [
    { label: "Clients that read mcpServers", text: JSON.stringify({ mcpServers: server }, null, 2) },
    { label: "Clients that read servers", text: JSON.stringify({ servers: server }, null, 2) },
    {
      label: "initialize, by hand",
      text: curl(url, "initialize", {
        protocolVersion: HANDSHAKE_VERSION,
        capabilities: {},
        clientInfo: { name: "curl", version: "1" },
      }),
    },
    {
      label: "tools/call, by hand",
      text: curl(url, "tools/call", { name: cityIndexTool.name, arguments: { city, limit: 3 } }),
    },
  ];
}

// No value contains an apostrophe: only our own names and slugs.
function curl(url: string, method: string, params: object): string {
  return [
    `curl -s ${url}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-d '${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}'`,
  ].join(" \\\n  ");
}
