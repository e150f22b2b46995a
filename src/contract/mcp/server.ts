/** Identity of the MCP server, shared by `initialize`, `server/discover`, the server card and the registry entry. */

import { isIP } from "node:net";
import { API_VERSION } from "../versions.ts";

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
