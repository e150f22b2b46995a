/** Answers at once, compared byte by byte with those of the protocol's package. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LEGACY_VERSIONS, MODERN_VERSION, rpc } from "../../tests/support/mcp/mcp.ts";
import { fuzzedRequest } from "../../tests/support/mcp/mcp-fuzz.ts";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { silentLog } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { contextOf } from "../resources/release-store.ts";
import type { MessageNote } from "./message-notes.ts";
import { McpService } from "./service.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CALL = {
  name: "get_physical_presence",
  arguments: { business_name: "Copper Lantern", city: "guelph" },
};

type Headers = Readonly<Record<string, string>>;

const town = new TestTown();
let context: ReadContext;
let experienced: McpService;

beforeAll(() => {
  town.city("guelph");
  for (const name of ["Copper Lantern Tearoom", "Copper Café"]) {
    const record = town.record(name);
    town.see(record, town.asset(record), name, "2026-04-28T10:00:00Z");
  }
  context = contextOf(town.snapshot("2026-05-20T12:00:00Z"));
  experienced = service();
});

afterAll(() => town[Symbol.dispose]());

function service(): McpService {
  return new McpService({ baseUrl: "https://presence.test", log: silentLog, context: () => context });
}

/** What the package answers, and what is counted. */
async function byPackage(asked: McpService, headers: Headers, text: string) {
  const incoming = asked.read(text);
  if ("status" in incoming) return { answer: incoming, notes: [] };
  const notes: MessageNote[] = [];
  const onMessage = (note: MessageNote) => void notes.push(note);
  return { answer: await asked.answer({ headers, onMessage }, incoming, new AbortController()), notes };
}

function atOnce(asked: McpService, headers: Headers, text: string) {
  const incoming = asked.read(text);
  if ("status" in incoming) return undefined;
  const notes: MessageNote[] = [];
  const answer = asked.answerAtOnce({ headers, onMessage: (note) => void notes.push(note) }, incoming);
  return answer === undefined ? undefined : { answer, notes };
}

/** Answers with the package first, then at once if it can; both must be the same to the byte. */
async function expectSame(headers: Headers, message: unknown): Promise<boolean> {
  const text = JSON.stringify(message);
  const expected = await byPackage(experienced, headers, text);
  const short = atOnce(experienced, headers, text);
  if (short !== undefined) expect(short).toEqual(expected);
  return short !== undefined;
}

const headersOf = (method: string, name?: string): Headers => ({
  "mcp-protocol-version": MODERN_VERSION,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});
const METHODS = { call: "tools/call", list: "tools/list" };

describe("are given", () => {
  test.each([undefined, ...LEGACY_VERSIONS])("in the handshake's era, version %s", async (version) => {
    const headers: Headers = version === undefined ? {} : { "mcp-protocol-version": version };
    for (const id of [1, -0, "a", 'q"\ud800', Number.MAX_SAFE_INTEGER]) {
      expect(await expectSame(headers, rpc(id, METHODS.call, CALL))).toBe(true);
      expect(await expectSame(headers, rpc(id, METHODS.list, {}))).toBe(true);
    }
    expect(await expectSame(headers, { jsonrpc: "2.0", id: 1, method: METHODS.list })).toBe(true);
  });

  test("in the era of 2026-07-28", async () => {
    const called = rpc(1, METHODS.call, { ...CALL, _meta: META });
    expect(await expectSame(headersOf(METHODS.call, CALL.name), called)).toBe(true);
    expect(await expectSame(headersOf(METHODS.list), rpc(1, METHODS.list, { _meta: META }))).toBe(true);
  });

  test("for every result of a tool, once its envelope is known", async () => {
    for (const args of [{}, undefined, { city: "nowhere" }, { city: "guelph" }, { city: "guelph", limit: 0 }])
      expect(await expectSame({}, rpc(1, METHODS.call, { name: "city_index", arguments: args }))).toBe(true);
  });

  test("from the first message with a known envelope on, not before", async () => {
    const asked = service();
    const text = (id: number, business_name: string) =>
      JSON.stringify(rpc(id, METHODS.call, { ...CALL, arguments: { business_name, city: "guelph" } }));
    expect(atOnce(asked, {}, text(1, "Copper Lantern"))).toBeUndefined();
    await byPackage(asked, {}, text(1, "Copper Lantern"));
    expect(atOnce(asked, {}, text(2, "copper"))).toEqual(await byPackage(service(), {}, text(2, "copper")));
  });
});

describe("are not given", () => {
  const meta = (changes: object) => rpc(1, METHODS.call, { ...CALL, _meta: { ...META, ...changes } });
  const modern = headersOf(METHODS.call, CALL.name);

  test.each<[string, Headers, unknown]>([
    ["an unknown tool", {}, rpc(1, METHODS.call, { name: "nope", arguments: {} })],
    ["another method", {}, rpc(1, "ping", {})],
    ["a batch", {}, [rpc(1, METHODS.call, CALL)]],
    ["a notification", {}, { jsonrpc: "2.0", method: METHODS.call, params: CALL }],
    ["an id that is no integer", {}, rpc(1.5, METHODS.call, CALL)],
    ["an unknown member", {}, { ...rpc(1, METHODS.call, CALL), more: 1 }],
    ["arguments that are a list", {}, rpc(1, METHODS.call, { ...CALL, arguments: [] })],
    ["an unknown version", { "mcp-protocol-version": "2024-01-01" }, rpc(1, METHODS.call, CALL)],
    ["the name of another tool in the header", headersOf(METHODS.call, "get_pulse"), meta({})],
    ["no version in the header", {}, meta({})],
    ["capabilities that are a text", modern, meta({ "io.modelcontextprotocol/clientCapabilities": "x" })],
    ["a version of the envelope alone", modern, rpc(1, METHODS.call, CALL)],
  ])("for %s", async (_, headers, message) => {
    expect(await expectSame({}, rpc(1, METHODS.call, CALL))).toBe(true);
    expect(await expectSame(modern, meta({}))).toBe(true);
    expect(await expectSame(headers, message)).toBe(false);
  });

  test("for members that JSON cannot show", async () => {
    const message = rpc(1, METHODS.call, CALL);
    for (const odd of [
      { ...message, toString: "x" },
      { ...message, params: { ...CALL, _meta: { progressToken: { toString: "x" } } } },
    ]) {
      const plain = { ...odd, toString: undefined };
      await expectSame({}, plain);
      expect(await expectSame({}, odd)).toBe(false);
    }
    const hidden = JSON.stringify(message).replace('"city"', '"__proto__":{},"city"');
    await byPackage(experienced, {}, hidden);
    expect(atOnce(experienced, {}, hidden)).toBeUndefined();
  });
});

test("random requests, whole or changed, get the same answer either way", async () => {
  let short = 0;
  const strings = (headers: Headers): Headers => {
    const read = ["mcp-protocol-version", "mcp-method", "mcp-name"];
    return Object.fromEntries(Object.entries(headers).filter(([name]) => read.includes(name)));
  };
  await fc.assert(
    fc.asyncProperty(fuzzedRequest, async ({ headers, body }) => {
      const given = strings(headers);
      const text = body.toString();
      const before = atOnce(experienced, given, text);
      const expected = await byPackage(service(), given, text);
      if (before !== undefined) expect(before).toEqual(expected);
      await byPackage(experienced, given, text);
      const after = atOnce(experienced, given, text);
      if (after !== undefined) expect(after).toEqual(expected);
      if (before !== undefined) short += 1;
    }),
    { numRuns: 1500 },
  );
  expect(short).toBeGreaterThan(100);
});
