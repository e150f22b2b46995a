import { isIP } from "node:net";
import { API_VERSION } from "../versions.ts";

/** Who the MCP server says it is: `initialize`, `server/discover`, the server card and the registry entry say the same. */

export interface McpServerFacts {
  readonly name: string; // reverse DNS of the public host, a slash, the service
  readonly title: string;
  readonly version: string;
  readonly description: string; // at most 100 characters (server card)
  readonly websiteUrl: string;
}

export function mcpServerFacts(baseUrl: string): McpServerFacts {
  return {
    name: `${reverseHost(new URL(baseUrl).hostname)}/physical-presence`,
    title: "Physical Presence Evidence",
    version: API_VERSION,
    description: "Ledger-backed evidence that a brand or asset was physically seen, when and where.",
    websiteUrl: `${baseUrl}/`,
  };
}

/** Newest first. The handshake of the first four is `initialize`; 2026-07-28 is stateless. */
export const PROTOCOL_VERSIONS = [
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

/** An address has no reverse DNS name; a server that has no better one is a local one. */
function reverseHost(hostname: string): string {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? host.split(".").reverse().join(".") : "localhost";
}
