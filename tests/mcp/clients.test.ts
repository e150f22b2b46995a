import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { ToolContract } from "../../src/contract/mcp/evidence-tools.ts";
import { TOOLS } from "../../src/contract/mcp/tools.ts";
import { freshAddress, MODERN_VERSION } from "../support/mcp/mcp.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The official clients, which hold every result against the tool's output schema. */

const CLIENT = { name: "test", version: "1" };
const CITY = "Guelph";

interface Connection {
  readonly version: string | undefined;
  tools(): Promise<readonly { readonly name: string }[]>;
  call(name: string, given: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

let server: DemoServer;

beforeAll(async () => {
  server = await serveHome(inject("demoHome"));
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

function endpoint() {
  const requestInit = { headers: { "X-Forwarded-For": freshAddress() } };
  return [new URL(`${server.url}/mcp`), { requestInit }] as const;
}

async function firstClient(): Promise<Connection> {
  const client = new FirstClient(CLIENT);
  const transport = new FirstTransport(...endpoint());
  await client.connect(transport);
  return {
    version: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
}

async function currentClient(mode: VersionNegotiationMode): Promise<Connection> {
  const client = new CurrentClient(CLIENT, { versionNegotiation: { mode } });
  await client.connect(new CurrentTransport(...endpoint()));
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
}

/** The example of a tool, asked of a city that the demonstration has. */
function argumentsOf({ example }: ToolContract): Record<string, unknown> {
  return { ...example, city: CITY };
}

describe.each([
  { client: "sdk 1.x", connect: firstClient, version: "2025-11-25" },
  { client: "client 2.x, legacy", connect: () => currentClient("legacy"), version: "2025-11-25" },
  { client: "client 2.x, auto", connect: () => currentClient("auto"), version: MODERN_VERSION },
  {
    client: "client 2.x, pinned",
    connect: () => currentClient({ pin: MODERN_VERSION }),
    version: MODERN_VERSION,
  },
])("$client", ({ connect, version }) => {
  let connection: Connection;

  beforeAll(async () => {
    connection = await connect();
  });

  afterAll(() => connection.close());

  test(`agrees on ${version}`, () => {
    expect(connection.version).toBe(version);
  });

  test("lists every tool, in order, in at most 4,000 tokens", async () => {
    const tools = await connection.tools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(JSON.stringify(tools).length / 4).toBeLessThan(4000);
  });

  test.each(TOOLS)("calls $name, and its result is valid", async (tool) => {
    const result = await connection.call(tool.name, argumentsOf(tool));
    expect(result).not.toHaveProperty("isError", true);
    expect(result).toMatchObject({
      content: [{ type: "text" }],
      structuredContent: { data_as_of: expect.any(String) },
    });
  });

  test("gets what it can put right as a result, and a tool that is none as an error", async () => {
    expect(await connection.call("city_index", { city: "Atlantis" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("guelph (Guelph, Ontario, Canada)") }],
    });
    await expect(connection.call("no_such_tool", {})).rejects.toMatchObject({ code: -32602 });
  });
});
