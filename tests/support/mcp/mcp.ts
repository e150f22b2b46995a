/** Talking to the MCP endpoint by hand. */

import { createServer, request, type Server } from "node:http";
import { portOf } from "../../../src/kernel/port.ts";

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined where there is none. */
  readonly body: unknown;
}

export const LEGACY_VERSIONS = [
  "2024-10-07",
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
] as const;
export const MODERN_VERSION = "2026-07-28";

export function rpc(id: unknown, method: string, params?: object) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

export function notification(method: string, params?: object) {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}

let clients = 0;

/** An address for tests (RFC 2544) that no request had before, so that none uses up the allowance of another. */
export function freshAddress(): string {
  clients += 1;
  return `198.18.${(clients >> 8) & 255}.${clients & 255}`;
}

/** POST a message, or a text as it is, under a fresh client address. */
export async function post(
  base: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<McpAnswer> {
  const answer = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "X-Forwarded-For": freshAddress(),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** A request of 2026-07-28, whose headers repeat what its body says. */
export function postModern(
  base: string,
  method: string,
  params: { readonly name?: string; readonly [member: string]: unknown } = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<McpAnswer> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return post(base, rpc(1, method, { ...params, _meta }), {
    "Mcp-Protocol-Version": MODERN_VERSION,
    "Mcp-Method": method,
    ...(params.name === undefined ? {} : { "Mcp-Name": params.name }),
    ...headers,
  });
}

export interface FreshClients {
  readonly url: string;
  stop(): void;
}

/** A proxy that gives every request a client address of its own, for tools that cannot set headers. */
export async function freshClients(base: string): Promise<FreshClients> {
  const { hostname, port } = new URL(base);
  const proxy: Server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, "x-forwarded-for": freshAddress() };
    const options = { hostname, port, method: incoming.method, path: incoming.url, headers };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "localhost", resolve));
  return { url: `http://localhost:${portOf(proxy)}/mcp`, stop: () => proxy.close() };
}
