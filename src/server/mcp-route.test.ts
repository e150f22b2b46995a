/** The HTTP edge of `/mcp` over a service that says what it was given. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MCP_LIMITS } from "../contract/limits.ts";
import { portOf } from "../kernel/port.ts";
import { matchPath, pathOf, requestKind } from "../site/routes/registry.ts";
import { Admission } from "./limits/admission.ts";
import type { Limiter } from "./limits/rate-limit.ts";
import { answerMcp, type McpRouteDeps } from "./mcp-route.ts";

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let taken: [client: string, cost: number][] = [];
let gone: Promise<void> | undefined;

const service: McpRouteDeps["service"] = {
  read(body) {
    if (body === "broken") return { status: 400, body: "broken" };
    return { body, cost: body === "batch" ? 5 : 1, id: "echo" };
  },
  answerAtOnce: ({ headers }, { body }) =>
    body === "known" ? { status: 200, body: JSON.stringify({ headers, body }) } : undefined,
  async answer({ headers }, { body }, leaving) {
    if (body === "nothing") return { status: 202, body: "" };
    if (body === "slow") {
      gone = new Promise((resolve) => leaving.signal.addEventListener("abort", () => resolve()));
      await gone;
    }
    return { status: 200, body: JSON.stringify({ headers, body }) };
  },
  rateLimited: (retryAfterSeconds, id) => ({ status: 429, body: JSON.stringify({ retryAfterSeconds, id }) }),
  refused: (status, message) => ({ status, body: message }),
};

const limiter: Limiter = {
  async take(client, cost = 1) {
    taken.push([client, cost]);
    const isOver = client === "192.0.2.9";
    return { headers: isOver ? [["Retry-After", "7"]] : [], retryAfter: isOver ? 7 : undefined };
  },
};

const noState = { get: () => Promise.reject(new Error("no state here")) };

const parts = {
  service,
  limiter,
  admission: new Admission({
    state: { ...noState, fault: () => undefined, losses: () => 0 },
    trustedProxies: 1,
    clock: () => 0,
  }),
  hosts: new Set(["presence.test", "127.0.0.1", "[::1]"]),
};
const server = createServer((incoming, response) => void answerMcp(parts, incoming, response));
let port: number;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  port = portOf(server);
});

afterAll(() => server.close());

beforeEach(() => {
  taken = [];
});

const JSON_TYPE = { "content-type": "application/json" };

async function send({ method = "POST", headers = JSON_TYPE, body = "{}" }: Sent): Promise<Answered> {
  const outgoing = request({ port, host: "127.0.0.1", method, path: "/mcp", headers });
  outgoing.end(method === "POST" ? body : undefined);
  const [incoming] = await once(outgoing, "response");
  return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) };
}

test.each([
  ["/mcp", true],
  ["/mcp/", true],
  ["/mcp?x=1", true],
  ["/mcp/contract.json", false],
  ["/mcpx", false],
  ["//mcp", false],
  ["/MCP", false],
  ["*", false],
  [undefined, false],
])("%s is the endpoint: %s", (url, expected) => {
  expect(requestKind(matchPath(pathOf({ url })), "POST") === "mcp").toBe(expected);
});

describe("what costs nothing", () => {
  test.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])(
    "%s is refused, and says what is allowed",
    async (method) => {
      const { status, headers } = await send({ method });
      expect([status, headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
      expect(taken).toEqual([]);
    },
  );

  test("OPTIONS lets browsers send what the protocol needs", async () => {
    const { status, headers } = await send({ method: "OPTIONS" });
    expect([status, headers["access-control-allow-origin"]]).toEqual([204, "*"]);
    expect(headers["access-control-allow-methods"]).toBe("POST, OPTIONS");
    for (const name of [
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-session-id",
      "content-type",
      "accept",
    ])
      expect(headers["access-control-allow-headers"]?.toLowerCase().split(", ")).toContain(name);
    expect(taken).toEqual([]);
  });

  test.each(["evil.example", "presence.test.evil.example", "127.0.0.1.nip.io"])(
    "Host %j is not ours",
    async (host) => {
      const { status, headers } = await send({ headers: { ...JSON_TYPE, host } });
      expect([status, headers["connection"]]).toEqual([403, "close"]);
      expect(taken).toEqual([]);
    },
  );

  test.each(["a b", "@presence.test@evil"])("Host %j is none", async (host) => {
    for (const method of ["POST", "OPTIONS"]) {
      const { status, headers } = await send({ method, headers: { ...JSON_TYPE, host } });
      expect([status, headers["connection"]]).toEqual([400, "close"]);
    }
    expect(taken).toEqual([]);
  });

  test.each(["presence.test", "presence.test:8443", "PRESENCE.TEST", "127.0.0.1:1", "[::1]:80"])(
    "Host %j is ours",
    async (host) => {
      expect((await send({ headers: { ...JSON_TYPE, host } })).status).toBe(200);
    },
  );

  test.each([
    "text/plain",
    "application/json-rpc",
    "application/x-www-form-urlencoded",
    "",
    "application/jsonp",
  ])("content type %j is not JSON", async (type) => {
    expect((await send({ headers: { "content-type": type } })).status).toBe(415);
    expect(taken).toEqual([]);
  });

  test("a body that is too large, whether it says so or not", async () => {
    const body = Buffer.alloc(MCP_LIMITS.bodyBytes + 1, " ");
    const chunked = { ...JSON_TYPE, "transfer-encoding": "chunked" };
    const declared = { ...JSON_TYPE, "content-length": String(body.length) };
    for (const headers of [chunked, declared]) {
      const answered = await send({ headers, body });
      expect([answered.status, answered.headers["connection"]]).toEqual([413, "close"]);
    }
    expect(taken).toEqual([]);
    expect((await send({ body: body.subarray(1) })).status).toBe(200);
  });
});

describe("what is charged", () => {
  test("is what the messages cost, to the client before our proxy", async () => {
    const headers = { ...JSON_TYPE, "x-forwarded-for": "203.0.113.1, 192.0.2.5" };
    await send({ headers, body: "batch" });
    await send({ headers, body: "broken" });
    await send({ headers: { ...JSON_TYPE, "x-forwarded-for": "2001:db8:1:2:3::4" } });
    expect(taken).toEqual([
      ["192.0.2.5", 5],
      ["192.0.2.5", 1],
      ["2001:db8:1:2::/64", 1],
    ]);
  });

  test("is refused when it is too much, with the id and when to come back", async () => {
    const { status, headers, body } = await send({
      headers: { ...JSON_TYPE, "x-forwarded-for": "192.0.2.9" },
    });
    expect([status, headers["retry-after"]]).toEqual([429, "7"]);
    expect(JSON.parse(body)).toEqual({ retryAfterSeconds: 7, id: "echo" });
  });
});

describe("what the protocol is given", () => {
  test("its own headers and no others", async () => {
    const read = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "ping",
      "mcp-name": "é".normalize("NFC"),
    };
    const unread = {
      accept: "text/html",
      "mcp-session-id": "s",
      "last-event-id": "5",
      authorization: "Bearer x",
      cookie: "a=b",
    };
    for (const given of ["known", "unknown"]) {
      const { body } = await send({ headers: { ...JSON_TYPE, ...read, ...unread }, body: given });
      const passed = JSON.parse(body);
      expect([Object.keys(passed.headers), passed.body]).toEqual([Object.keys(read), given]);
    }
  });

  test("the body as text, in whatever pieces it came", async () => {
    const { body } = await send({ headers: { ...JSON_TYPE, "transfer-encoding": "chunked" }, body: "東京" });
    expect(JSON.parse(body).body).toBe("東京");
  });
});

test("an answer may be nothing; what there is may be read by browsers and is kept by nobody", async () => {
  const nothing = await send({ body: "nothing" });
  expect([nothing.status, nothing.body, nothing.headers["content-type"]]).toEqual([202, "", undefined]);
  const { headers } = await send({});
  expect(headers).toMatchObject({
    "access-control-allow-origin": "*",
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
});

test("the work ends when the client leaves", async () => {
  gone = undefined;
  const outgoing = request({ port, host: "127.0.0.1", method: "POST", path: "/mcp", headers: JSON_TYPE });
  outgoing.on("error", () => undefined).end("slow");
  while (gone === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  outgoing.destroy();
  await gone;
  expect((await send({})).status).toBe(200);
});
