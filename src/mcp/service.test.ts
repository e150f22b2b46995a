import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { TOOLS } from "../contract/mcp/tools.ts";
import { PublicError } from "../kernel/errors.ts";
import { type Log, silentLog } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { runToolAsText } from "./call-tool.ts";
import { McpService } from "./service.ts";

const MODERN = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Changes {
  readonly context?: () => ReadContext | undefined;
  readonly deadlineMs?: number;
  readonly log?: Log;
  readonly search?: (name: string, args: unknown) => Promise<string>;
}

function service({
  context = fakeContext,
  log = silentLog,
  deadlineMs = 5000,
  search,
}: Changes = {}): McpService {
  return new McpService({ baseUrl: "https://presence.test", log, context, deadlineMs, search });
}

/** Status and parsed body, as the HTTP edge would send it. */
async function post(asked: McpService, message: unknown, headers: Readonly<Record<string, string>> = {}) {
  const incoming = asked.read(JSON.stringify(message));
  const { status, body } =
    "status" in incoming
      ? incoming
      : await (asked.answerAtOnce({ headers }, incoming) ??
          asked.answer({ headers }, incoming, new AbortController()));
  const text = Buffer.from(body).toString();
  return { status, body: text === "" ? "" : JSON.parse(text) };
}

const request = (id: unknown, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

function modern(
  asked: McpService,
  method: string,
  params: object = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const standard = { "mcp-protocol-version": MODERN, "mcp-method": method };
  return post(asked, request(1, method, { ...params, _meta: META }), { ...standard, ...headers });
}

describe("both eras", () => {
  test("list the same tools, in order", async () => {
    const List = z.looseObject({
      result: z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }),
    });
    const legacy = List.parse((await post(service(), request(1, "tools/list"))).body).result;
    const { result } = List.parse((await modern(service(), "tools/list")).body);
    expect(legacy.tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(result.tools).toEqual(legacy.tools);
    expect(result).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public", resultType: "complete" });
    expect(legacy).not.toHaveProperty("ttlMs");
  });

  test("call a tool and get its structure and its text", async () => {
    const params = { name: "get_pulse", arguments: { city: "alpha" } };
    const answers = [
      await post(service(), request(1, "tools/call", params)),
      await modern(service(), "tools/call", params, { "mcp-name": "get_pulse" }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: 1, result: { structuredContent: { city: { slug: "alpha" } } } });
    }
  });

  test("refuse what there is nothing to listen to, as any other unknown method", async () => {
    const listen = { notifications: { toolsListChanged: true } };
    const notFound = { error: { code: -32601, message: "Method not found" }, id: 1 };
    expect(await modern(service(), "subscriptions/listen", listen)).toMatchObject({
      status: 404,
      body: notFound,
    });
    expect(await modern(service(), "resources/list")).toMatchObject({ status: 404, body: notFound });
    expect(await post(service(), request(1, "resources/subscribe"))).toMatchObject({
      status: 200,
      body: notFound,
    });
  });
});

const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

describe("a batch", () => {
  const ping = request(1, "ping");

  test.each([{ batch: [ping, cancelled] }, { batch: [cancelled, ping] }])(
    "that cancels its own request is answered: %#",
    async ({ batch }) => {
      const { status, body } = await post(service({ deadlineMs: 1000 }), batch);
      expect([status, body]).toEqual([200, [{ jsonrpc: "2.0", id: 1, result: {} }]]);
    },
  );

  test("of notifications alone is accepted without a word", async () => {
    expect(await post(service(), [cancelled])).toEqual({ status: 202, body: "" });
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect(await post(service(), [initialized, cancelled])).toEqual({ status: 202, body: "" });
  });
});

test("what is not answered in time is given up, with the id of the request", async () => {
  // Reading would have dropped the cancellation, with which the package never answers.
  const body = [request("slow", "ping"), { ...cancelled, params: { requestId: "slow" } }];
  const leaving = new AbortController();
  const incoming = { body, cost: 2, id: "slow" };
  const { status, body: text } = await service({ deadlineMs: 50 }).answer({ headers: {} }, incoming, leaving);
  expect([status, leaving.signal.aborted]).toEqual([504, true]);
  expect(JSON.parse(Buffer.from(text).toString())).toEqual({
    jsonrpc: "2.0",
    id: "slow",
    error: { code: -32000, message: "the request took longer than 0.05 s: retry later" },
  });
});

test("a request that ended before it was answered is no failure", async () => {
  const asked = service();
  const incoming = asked.read(JSON.stringify(request(1, "ping")));
  if ("status" in incoming) throw new Error("it was refused");
  const leaving = new AbortController();
  leaving.abort();
  const { status } = await asked.answer({ headers: {} }, incoming, leaving);
  expect(status).toBeLessThan(500);
});

test("tools read the release that is there when they are called", async () => {
  let context: ReadContext | undefined;
  const asked = service({ context: () => context });
  const call = () =>
    post(asked, request(1, "tools/call", { name: "get_pulse", arguments: { city: "alpha" } }));
  expect((await call()).body).toMatchObject({ result: { isError: true } });
  context = fakeContext();
  expect((await call()).body.result.isError).toBeUndefined();
});

describe("with a thread that searches", () => {
  const context = fakeContext();
  const named = { city: "alpha", business_name: "Alpha Bakery" };
  const call = (id: number, name: string, args: object) =>
    request(id, "tools/call", { name, arguments: args });

  function threaded(search: (name: string, args: unknown) => Promise<string>) {
    const asked: string[] = [];
    const mcp = service({
      context: () => context,
      search: (name, args) => {
        asked.push(name);
        return search(name, args);
      },
    });
    return { mcp, asked };
  }

  test("names are searched there, once a release, with the same answer; nothing else is", async () => {
    const { mcp, asked } = threaded(async (name, args) => runToolAsText(context, name, args));
    const searches: [string, object][] = [
      ["get_physical_presence", named],
      ["check_physical_evidence", named],
      ["check_business_reality", { city: "alpha", name_or_address: "Alpha Bakery" }],
      ["compare_presence", { city: "alpha", business_names: ["Alpha Bakery", "Nobody"] }],
      ["get_physical_presence", { city: "nowhere", business_name: "Alpha" }],
    ];
    const others: [string, object][] = [
      ["city_index", { city: "alpha" }],
      ["get_pulse", { city: "alpha" }],
      ["get_physical_presence", { city: "alpha", public_id: "demo_1" }],
      ["compare_presence", { city: "alpha", business_names: ["one"] }], // refused
    ];
    for (const [name, args] of [...searches, ...others, ...searches])
      for (const id of [1, 2]) {
        const here = await post(service({ context: () => context }), call(id, name, args));
        expect(await post(mcp, call(id, name, args)), name).toEqual(here);
      }
    expect(asked).toEqual(searches.map(([name]) => name));
  });

  test("what the thread refuses or breaks is an error of the tool, and is not remembered", async () => {
    let failure: Error = new PublicError(503, "busy: retry in a moment");
    const { mcp, asked } = threaded(() => Promise.reject(failure));
    const texts = [];
    for (const next of [failure, new Error("SQLITE_CORRUPT")]) {
      failure = next;
      const { body } = await post(mcp, call(1, "get_physical_presence", named));
      texts.push(body.result.content[0].text);
    }
    expect(texts).toEqual([
      "busy: retry in a moment",
      expect.stringMatching(/^Internal error [0-9a-f-]{36}\. /),
    ]);
    expect(asked).toHaveLength(2);
  });
});
