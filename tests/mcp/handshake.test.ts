import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { MCP_LIMITS } from "../../src/contract/limits.ts";
import { listedTool, MCP_INSTRUCTIONS, TOOLS } from "../../src/contract/mcp/tools.ts";
import {
  freshAddress,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  notification,
  post,
  postModern,
  rpc,
} from "../support/mcp/mcp.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** Both handshakes by hand-written messages: no client library stands between the test and what goes over the wire. */

let server: DemoServer;

beforeAll(async () => {
  server = await serveHome(inject("demoHome"));
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

const SERVER_INFO = {
  name: "test.demo/physical-presence",
  title: expect.any(String),
  version: expect.any(String),
  description: expect.any(String),
  websiteUrl: "https://demo.test/",
};
const CAPABILITIES = { tools: { listChanged: false } };
const TOOL_LIST = JSON.parse(JSON.stringify(TOOLS.map(listedTool)));
const PULSE = { name: "get_pulse", arguments: { city: "Guelph" } };
const PING = rpc(1, "ping");
const CANCELLED = notification("notifications/cancelled", { requestId: 1 });

function initialize(protocolVersion: string) {
  return rpc(0, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
}

describe.each(LEGACY_VERSIONS)("a session of %s", (version) => {
  const headers = { "Mcp-Protocol-Version": version };

  test("is opened, confirmed and used", async () => {
    const opened = await post(server.url, initialize(version));
    expect(opened).toMatchObject({ status: 200, headers: expect.anything() });
    expect(opened.headers.has("mcp-session-id")).toBe(false);
    expect(opened.body).toEqual({
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: version,
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
        instructions: MCP_INSTRUCTIONS,
      },
    });
    const confirmed = await post(server.url, notification("notifications/initialized"), headers);
    expect([confirmed.status, confirmed.body]).toEqual([202, undefined]);
    expect((await post(server.url, PING, headers)).body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    const list = await post(server.url, rpc("l", "tools/list"), headers);
    expect(list.body).toEqual({ jsonrpc: "2.0", id: "l", result: { tools: TOOL_LIST } });
    const called = await post(server.url, rpc(2, "tools/call", PULSE), headers);
    expect(called.body).toMatchObject({
      id: 2,
      result: { content: [{ type: "text" }], structuredContent: { city: { name: "Guelph" } } },
    });
  });
});

test.each(["1999-01-01", "2030-01-01", "latest", ""])(
  "version %j is answered with the newest of its era",
  async (asked) => {
    expect((await post(server.url, initialize(asked))).body).toMatchObject({
      result: { protocolVersion: "2025-11-25" },
    });
  },
);

describe("a batch", () => {
  test("of several is answered message by message", async () => {
    const batch = [
      PING,
      notification("notifications/initialized"),
      rpc("b", "tools/call", PULSE),
      rpc(3, "nope"),
    ];
    const { status, body } = await post(server.url, batch);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { id: 1, result: {} },
      { id: "b", result: { structuredContent: { city: { slug: "guelph" } } } },
      { id: 3, error: { code: -32601 } },
    ]);
  });

  test.each([{ batch: [PING, CANCELLED] }, { batch: [CANCELLED, PING] }])(
    "that cancels its own request is answered within a second: %#",
    async ({ batch }) => {
      const started = performance.now();
      const { status, body } = await post(server.url, batch);
      expect([status, body]).toEqual([200, [{ jsonrpc: "2.0", id: 1, result: {} }]]);
      expect(performance.now() - started).toBeLessThan(1000);
    },
  );

  test("as long as may be is answered whole", async () => {
    const batch = Array.from({ length: MCP_LIMITS.batchMessages }, (_, id) => rpc(id, "ping"));
    const ids = z.array(z.object({ id: z.int() }).loose()).parse((await post(server.url, batch)).body);
    expect(ids.map(({ id }) => id).sort((a, b) => a - b)).toEqual(batch.map(({ id }) => id));
  });
});

describe(`a request of ${MODERN_VERSION}`, () => {
  test("learns who is there without a handshake", async () => {
    const { status, body } = await postModern(server.url, "server/discover");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: {
        supportedVersions: [MODERN_VERSION],
        capabilities: CAPABILITIES,
        instructions: MCP_INSTRUCTIONS,
        _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
      },
    });
  });

  test("lists and calls the same tools as the others", async () => {
    const list = await postModern(server.url, "tools/list");
    expect(list.body).toMatchObject({
      result: { tools: TOOL_LIST, ttlMs: 3_600_000, cacheScope: "public", resultType: "complete" },
    });
    const legacy = z
      .looseObject({ result: z.looseObject({ structuredContent: z.unknown() }) })
      .parse((await post(server.url, rpc(1, "tools/call", PULSE))).body);
    const called = await postModern(server.url, "tools/call", PULSE);
    expect(called.headers.get("content-type")).toMatch(/^application\/json/);
    expect(called.body).toMatchObject({
      result: { resultType: "complete", structuredContent: legacy.result.structuredContent },
    });
  });

  test("that another one cancels is none of its business", async () => {
    const { status } = await post(server.url, CANCELLED, { "Mcp-Protocol-Version": MODERN_VERSION });
    expect(status).toBeLessThan(500);
  });
});

describe("the allowance of a client", () => {
  const LIMIT = MCP_LIMITS.requestsPerMinute + MCP_LIMITS.burst;

  test("is 60 a minute and a burst of 20; what is over is told when to come back, under its id", async () => {
    const client = { "X-Forwarded-For": freshAddress() };
    const statuses = [];
    for (let sent = 0; sent < LIMIT; sent += 1) statuses.push((await post(server.url, PING, client)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { status, headers, body } = await post(server.url, rpc("mine", "ping"), client);
    const seconds = Number(headers.get("retry-after"));
    expect(status).toBe(429);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: "mine",
      error: {
        code: -32023,
        message: expect.stringContaining(`retry in ${seconds} s`),
        data: { retryAfterSeconds: seconds },
      },
    });
    expect((await post(server.url, PING)).status).toBe(200); // another one
  });

  test("is charged for every message of a batch, and not for what is refused at the door", async () => {
    const client = { "X-Forwarded-For": freshAddress() };
    const batch = Array.from({ length: 20 }, (_, id) => rpc(id, "ping"));
    const refused = { ...client, "Content-Type": "text/plain" };
    const statuses = [];
    for (let sent = 0; sent < 5; sent += 1) {
      statuses.push((await post(server.url, batch, client)).status);
      await post(server.url, PING, refused);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  test("is that of its /64 network in IPv6", async () => {
    const batch = Array.from({ length: 20 }, (_, id) => rpc(id, "ping"));
    const from = (host: string) => post(server.url, batch, { "X-Forwarded-For": `2001:db8:7:7::${host}` });
    const statuses = [];
    for (const host of ["1", "2", "3", "4", "5"]) statuses.push((await from(host)).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

test("a client that leaves before its answer does no harm", async () => {
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify(Array.from({ length: 20 }, (_, id) => rpc(id, "tools/call", PULSE)));
  const leave = async () => {
    const headers = { "Content-Type": "application/json", "X-Forwarded-For": freshAddress() };
    const outgoing = request({ hostname, port, path: "/mcp", method: "POST", headers });
    outgoing.on("error", () => undefined).end(body);
    await once(outgoing, "finish");
    outgoing.destroy();
  };
  await Promise.all(Array.from({ length: 20 }, leave));
  expect((await post(server.url, PING)).status).toBe(200);
});
