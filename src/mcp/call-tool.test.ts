import type { CallToolResult } from "@modelcontextprotocol/server";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { LEGACY_VERSIONS, MODERN_VERSION, rpc } from "../../tests/support/mcp/mcp.ts";
import { fuzzedRequest } from "../../tests/support/mcp/mcp-fuzz.ts";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { realityDeprecation } from "../contract/mcp/evidence-tools.ts";
import { Candidates } from "../contract/mcp/fields.ts";
import { listedTool, publishedTool, TOOLS } from "../contract/mcp/tools.ts";
import { PublicError } from "../kernel/errors.ts";
import { type Log, silentLog } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { contextOf } from "../resources/release-store.ts";
import { finishedCalls, type MessageNote } from "./call-notes.ts";
import { callTool } from "./call-tool.ts";
import { McpService } from "./service.ts";

describe("known envelopes", () => {
  /** Answers at once, compared byte by byte with those of the protocol's package. */

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
      for (const args of [
        {},
        undefined,
        { city: "nowhere" },
        { city: "guelph" },
        { city: "guelph", limit: 0 },
      ])
        expect(await expectSame({}, rpc(1, METHODS.call, { name: "city_index", arguments: args }))).toBe(
          true,
        );
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
});

describe("call tool", () => {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schemasOf = ({ name, outputSchema }: { readonly name: string; readonly outputSchema: object }) =>
    [name, ajv.compile(outputSchema)] as const;
  const schemas = new Map(TOOLS.map((tool) => schemasOf(publishedTool(tool))));
  const shallow = new Map(TOOLS.map((tool) => schemasOf(listedTool(tool))));

  /** Calls over a context; failures are numbered. */
  function caller(context: ReadContext | undefined, log: Log = silentLog) {
    const deps = {
      context: () => context,
      log,
      newFailureId: () => "failure-1",
      finished: finishedCalls(),
    };
    return (name: string, given: unknown) => callTool(deps, name, given, () => undefined);
  }

  function textOf({ content }: CallToolResult): string {
    const [first] = content;
    return first?.type === "text" ? first.text : "";
  }

  describe("over a release", () => {
    const town = new TestTown();
    let call: ReturnType<typeof caller>;

    beforeAll(() => {
      town.city("toronto");
      town.city("guelph");
      for (const name of ["Alpha Bakery", "Alpha Books", "Café Bravo", "Charlie"]) {
        const record = town.record(name, { public_id: `demo_${name.length}_${name[0]}` });
        for (const type of ["storefront", "vehicle_wrap"] as const) {
          const asset = town.asset(record, type);
          for (const day of ["10", "20", "28"])
            town.see(record, asset, `${name}-${day}`, `2026-04-${day}T10:00:00Z`, { asset_type: type });
        }
      }
      const rejected = town.record("Rejected");
      town.review("reject", town.see(rejected, town.asset(rejected), "scout", "2026-04-28T10:00:00Z"));
      const snapshot = town.snapshot("2026-05-20T12:00:00Z");
      call = caller(contextOf(snapshot));
    });

    afterAll(() => town[Symbol.dispose]());

    const names = ["Alpha Bakery", "cafe bravo", "charl", "alpha", "Rejected", "Nobody", "🍕", "x", "東京"];
    const cities = ["toronto", "TORONTO", "Toronto, Ontario", "guelph"];
    const calls = cities.flatMap((city) => [
      ...names.flatMap((business_name) => [
        ["get_physical_presence", { business_name, city }] as const,
        ["check_physical_evidence", { business_name, city }] as const,
        ["check_business_reality", { name_or_address: business_name, city }] as const,
      ]),
      ["compare_presence", { business_names: names, city }] as const,
      ["compare_presence", { business_names: ["Charlie", "Charlie"], city }] as const,
      ["city_index", { city }] as const,
      ["city_index", { city, limit: 2 }] as const,
      ["city_index", { city, detail: "full" }] as const,
      ["get_pulse", { city }] as const,
      ["get_pulse", { city, since: "2026-01-01" }] as const,
      ["get_pulse", { city, since: "2026-01-01", limit: 1, detail: "full" }] as const,
      ["check_physical_evidence", { business_name: "Charlie", city, detail: "full" }] as const,
      ["get_pulse", { city, since: "2026-01-01T00:00:00+02:00" }] as const,
    ]);

    test.each(calls)("%s %j fits its published schema, and the text is the same JSON", (name, given) => {
      const result = call(name, given);
      expect(result.isError).toBeUndefined();
      for (const fits of [schemas.get(name), shallow.get(name)])
        expect(fits?.(result.structuredContent), JSON.stringify(fits?.errors)).toBe(true);
      expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
      expect(result.structuredContent).toMatchObject({
        coverage_context: { note: expect.stringMatching(/./) },
      });
    });

    test("compare_presence answers name by name, in the order asked", () => {
      const asked = ["Charlie", "Nobody", "alpha", "cafe bravo"];
      const { comparison } = z
        .looseObject({
          comparison: z.array(
            z.looseObject({
              query: z.string(),
              found: z.boolean(),
              candidates: z.array(z.unknown()).optional(),
            }),
          ),
        })
        .parse(call("compare_presence", { business_names: asked, city: "toronto" }).structuredContent);
      expect(comparison.map(({ query, found, candidates }) => [query, found, candidates?.length])).toEqual([
        ["Charlie", true, undefined],
        ["Nobody", false, undefined],
        ["alpha", false, 2],
        ["cafe bravo", true, undefined],
      ]);
    });

    test("the deprecated tool says so, and answers as its replacement in its own words", () => {
      const given = { city: "toronto" };
      const { structuredContent: old } = call("check_business_reality", {
        ...given,
        name_or_address: "Charlie",
      });
      const { structuredContent: now } = call("check_physical_evidence", {
        ...given,
        business_name: "Charlie",
      });
      expect(old).toEqual({
        ...Object(now),
        verdict: "physically_observed",
        deprecated: realityDeprecation,
        summary: expect.stringMatching(/because addresses are not published\. It does not judge/),
      });
    });

    test("a candidate is asked for again by its public id, alone and in the record's city", () => {
      const { structuredContent } = call("get_physical_presence", {
        business_name: "alpha",
        city: "toronto",
      });
      const { candidates } = z.looseObject({ candidates: Candidates }).parse(structuredContent);
      for (const { public_id } of candidates) {
        const given = { public_id, city: "toronto" };
        const matched = { public_id, matched_by: "public_id" };
        expect(call("get_physical_presence", given).structuredContent).toMatchObject({ match: matched });
        for (const name of ["check_physical_evidence", "check_business_reality"])
          expect(call(name, given).structuredContent).toMatchObject({ entity: matched });
        expect(textOf(call("get_physical_presence", { ...given, city: "guelph" }))).toBe(
          `The record ${public_id} belongs to another city: pass city toronto (TORONTO, Ontario, Canada).`,
        );
      }
      expect(candidates).toHaveLength(2);
    });

    test("pages of the index follow each other to the end, with the same totals", () => {
      const Page = z.looseObject({
        rankings: z.array(z.looseObject({ public_id: z.string() })),
        returned_count: z.int(),
        total_count: z.int(),
        has_more: z.boolean(),
        next_cursor: z.string().optional(),
      });
      const page = (cursor: object) =>
        Page.parse(call("city_index", { city: "toronto", limit: 2, ...cursor }).structuredContent);
      const pages = [page({})];
      for (let last = pages[0]; last?.next_cursor !== undefined; last = pages.at(-1))
        pages.push(page({ cursor: last.next_cursor }));
      expect(pages.map(({ returned_count }) => returned_count)).toEqual([2, 2, 1]);
      expect(pages.map(({ total_count }) => total_count)).toEqual([5, 5, 5]);
      expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false]);
      const ids = pages.flatMap(({ rankings }) => rankings.map(({ public_id }) => public_id));
      expect(new Set(ids).size).toBe(5);
    });

    test.each([
      ["city_index", { city: "toronto", cursor: "nonsense" }, "cursor "],
      ["city_index", { city: "guelph", cursor: "" }, "cursor "],
      ["get_pulse", { city: "toronto", since: "2026-02-31" }, "since "],
      [
        "get_physical_presence",
        { business_name: "Charlie", city: "Atlantis" },
        "Pass one of these slugs as city: ",
      ],
    ])("%s %j is an error that a caller can put right", (name, given, text) => {
      const result = call(name, given);
      expect(result).toMatchObject({ isError: true });
      expect(result.structuredContent).toBeUndefined();
      expect(textOf(result)).toContain(text);
    });

    test("a cursor of another city is refused", () => {
      const { next_cursor } = z
        .looseObject({ next_cursor: z.string() })
        .parse(call("city_index", { city: "toronto", limit: 1 }).structuredContent);
      expect(textOf(call("city_index", { city: "guelph", cursor: next_cursor }))).toMatch(/^cursor /);
    });
  });

  test("before the first release every tool says that there is none", () => {
    for (const { name, example } of TOOLS) {
      const result = caller(undefined)(name, example);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe("Nothing is published yet: try again later.");
    }
  });

  test.each(["nope", "", "__proto__", "constructor", "GET_PULSE"])(
    "%j is no tool: a protocol error",
    (name) => {
      expect(() => caller(fakeContext())(name, {})).toThrow(
        expect.objectContaining({
          code: -32602,
          message: expect.stringMatching(/^Unknown tool: .*Tools: get_phys/),
        }),
      );
    },
  );

  describe("a failure", () => {
    function failing(error: unknown) {
      const logged: unknown[] = [];
      const log: Log = { ...silentLog, error: (event, fields) => logged.push([event, fields]) };
      const fail = () => {
        throw error;
      };
      const broken = { ...fakeContext().snapshot, search: fail, eventsOf: fail, cityIndexPage: fail };
      return { call: caller({ snapshot: broken, citySnapshot: fail, releaseSnapshot: fail }, log), logged };
    }

    test.each(TOOLS)(
      "inside of $name shows nothing but an id, under which the log has it",
      ({ name, example }) => {
        const { call, logged } = failing(new Error("SQLITE_ERROR: /srv/secret/path.db"));
        const result = call(name, { ...example, city: "alpha" });
        expect(result).toMatchObject({ isError: true });
        expect(textOf(result)).toBe(
          "Internal error failure-1. Try again, or use other arguments. If it persists, report the error id.",
        );
        expect(logged).toEqual([
          [
            "tool_failed",
            { failure_id: "failure-1", tool: name, fault: expect.stringMatching(/SQLITE_ERROR.*\n +at /s) },
          ],
        ]);
      },
    );

    test.each(["a text", undefined, { path: "/srv/secret" }])(
      "that is no error is masked too: %o",
      (thrown) => {
        const result = failing(thrown).call("get_pulse", { city: "alpha" });
        expect(textOf(result)).toMatch(/^Internal error failure-1\./);
      },
    );

    test("that is the caller's own is told, and not logged", () => {
      const { call, logged } = failing(new PublicError(410, "the snapshot of this cursor has expired"));
      expect(textOf(call("city_index", { city: "alpha" }))).toBe("the snapshot of this cursor has expired");
      expect(logged).toEqual([]);
    });
  });
});
