import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Places } from "../activity/seen-request.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS } from "../kernel/time.ts";
import { openState, type State } from "../state/open-state.ts";
import { importLog, type LoggedRequest, parseLogLine } from "./access-log.ts";

describe("parse line", () => {
  const JSON_LINE = `{"time":"1795000000.123","address":"203.0.113.7","method":"GET","uri":"/api/v1/cities","status":"200","seconds":"0.004","user_agent":"curl/8","upstream":"-"}`;
  const COMBINED =
    '203.0.113.7 - - [10/Oct/2026:13:55:36 +0200] "GET /city/toronto/ HTTP/1.1" 200 2326 "https://x.example/" "Mozilla/5.0 (X11)"';

  describe("the documented JSON form", () => {
    test("is read", () => {
      expect(parseLogLine(JSON_LINE)).toEqual({
        at: 1795000000123,
        address: "203.0.113.7",
        method: "GET",
        url: "/api/v1/cities",
        status: 200,
        latencyMs: 4,
        userAgent: "curl/8",
        wentOn: false,
      });
    });

    test.each([
      ['"upstream":"127.0.0.1:4321"', { wentOn: true }],
      ['"upstream":""', { wentOn: false }],
      ['"status":"499"', { status: null }],
      ['"seconds":"-"', { latencyMs: null }],
      ['"user_agent":"-"', { userAgent: "" }],
      ['"method":"\\u0016\\u0003"', { method: "", url: "" }],
      ['"uri":"http://other/"', { method: "", url: "" }],
    ])("%s", (member, expected) => {
      const name = /^"\w+":/.exec(member)?.[0] ?? "";
      expect(parseLogLine(JSON_LINE.replace(new RegExp(`${name}"[^"]*"`), member))).toMatchObject(expected);
    });

    test.each([
      ["{", "unknown_format"],
      ["{}", "wrong_fields"],
      [JSON_LINE.replace("203.0.113.7", "unix:"), "wrong_fields"],
      [JSON_LINE.replace('"200"', '"2"'), "wrong_fields"],
      [JSON_LINE.replace("1795000000.123", "yesterday"), "wrong_fields"],
      [JSON_LINE.replace("1795000000.123", "1e99"), "wrong_fields"],
    ])("%s is refused", (line, fault) => {
      expect(parseLogLine(line)).toBe(fault);
    });

    test("comes back as it was written, whatever clients send", () => {
      const request = fc.record<LoggedRequest>({
        at: fc.nat({ max: 4_000_000_000_000 }),
        address: fc.oneof(fc.ipV4(), fc.ipV6()),
        method: fc.constantFrom("GET", "HEAD", "POST", "PROPFIND"),
        url: fc.string().map((text) => `/${text}`),
        status: fc.integer({ min: 100, max: 498 }),
        latencyMs: fc.nat({ max: 1e9 }),
        userAgent: fc.string().filter((text) => text !== "-"),
        wentOn: fc.boolean(),
      });
      fc.assert(
        fc.property(request, (logged) => {
          const line = JSON.stringify({
            time: (logged.at / 1000).toFixed(3),
            address: logged.address,
            method: logged.method,
            uri: logged.url,
            status: String(logged.status),
            seconds: ((logged.latencyMs ?? 0) / 1000).toFixed(3),
            user_agent: logged.userAgent,
            upstream: logged.wentOn ? "127.0.0.1:1" : "-",
          });
          expect(parseLogLine(line)).toEqual(logged);
        }),
      );
    });
  });

  describe("the combined form", () => {
    test("is read, without what it does not tell", () => {
      expect(parseLogLine(COMBINED)).toEqual({
        at: Date.parse("2026-10-10T11:55:36Z"),
        address: "203.0.113.7",
        method: "GET",
        url: "/city/toronto/",
        status: 200,
        latencyMs: null,
        userAgent: "Mozilla/5.0 (X11)",
        wentOn: null,
      });
    });

    test.each([
      ['"GET /a HTTP/1.1" 200 - "-" "-"', { url: "/a", userAgent: "" }],
      ['"GET /\\x22 HTTP/2.0" 404 0 "-" "a \\"b\\" c"', { url: "/\\x22", status: 404 }],
      ['"-" 408 0 "-" "-"', { method: "", url: "", status: 408 }],
      ['"\\x16\\x03\\x01" 400 157 "-" "-"', { method: "", url: "" }],
    ])("%s", (rest, expected) => {
      expect(parseLogLine(`2001:db8::1 - alice [10/Oct/2026:13:55:36 +0000] ${rest}`)).toMatchObject(
        expected,
      );
    });

    test.each([
      [COMBINED.replace("10/Oct", "32/Oct"), "invalid_date"],
      [COMBINED.replace("Oct", "Okt"), "invalid_date"],
      [COMBINED.replace(' "Mozilla/5.0 (X11)"', ""), "unknown_format"],
      [COMBINED.replace("203.0.113.7", "example.org"), "unknown_format"],
      ["", "unknown_format"],
      ["2026-10-10 GET /", "unknown_format"],
    ])("%s is refused", (line, fault) => {
      expect(parseLogLine(line)).toBe(fault);
    });
  });

  test("no line breaks it, or takes long", () => {
    const odd = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.tuple(fc.nat(COMBINED.length), fc.string()).map(([at, text]) => COMBINED.slice(0, at) + text),
      fc.tuple(fc.nat(JSON_LINE.length), fc.string()).map(([at, text]) => JSON_LINE.slice(0, at) + text),
    );
    fc.assert(
      fc.property(odd, (line) => void parseLogLine(line)),
      { numRuns: 500 },
    );
    const startedAt = performance.now();
    for (const piece of ['"', "\\", '\\"', "[", "] ", "1 ", '" "'])
      parseLogLine(`1.1.1.1 - - [10/Oct/2026:13:55:36 +0000] "${piece.repeat(20_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe("import log", () => {
  const NOW = Date.parse("2026-05-08T12:00:00Z");
  const OWN = "192.0.2.1";
  const places: Places = (text) => (text === "toronto" ? { kind: "covered", slug: text } : undefined);

  function line(n: number, changes: Record<string, string> = {}): string {
    return `${JSON.stringify({
      time: ((NOW - 60_000 + n) / 1000).toFixed(3),
      address: `203.0.113.${n % 7}`,
      method: "GET",
      uri: n % 2 === 0 ? "/api/v1/city/toronto/index" : "/record/demo_1/",
      status: "200",
      seconds: "0.001",
      user_agent: "curl/8",
      upstream: "-",
      ...changes,
    })}\n`;
  }

  function log(lines: number): string {
    return Array.from({ length: lines }, (_, n) => line(n)).join("");
  }

  class Imports implements AsyncDisposable {
    readonly #folder = mkdtempSync(join(tmpdir(), "log-"));
    #state: State | undefined;

    async state(): Promise<State> {
      this.#state ??= await openState(undefined, homePaths(this.#folder), { clock: () => NOW });
      return this.#state;
    }

    async read(bytes: string | Uint8Array, pieces = 1000) {
      const { usage } = await this.state();
      return importLog({
        source: inPieces(Buffer.from(bytes), pieces),
        usage,
        known: { isInternal: (address) => address === OWN, places },
        now: NOW,
      });
    }

    async requests(): Promise<number> {
      const { usage } = await this.state();
      return (await usage.report(NOW + DAY_MS, 7)).counts.externalRequests;
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.#state?.close();
      rmSync(this.#folder, { recursive: true });
    }
  }

  async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  describe("reading a log in", () => {
    test("counts what the front server answered itself, and says what became of every line", async () => {
      await using imports = new Imports();
      const lines = [
        line(0),
        line(1, { upstream: "127.0.0.1:4321" }),
        line(2, { address: OWN }),
        line(3, { user_agent: "Mozilla/5.0 (compatible; GPTBot/1.2)", uri: "/pulse/toronto/rss.xml" }),
        line(4, { status: "499" }),
        line(5, { time: "1000000000.0" }),
        line(6, { time: "2000000000.0" }),
        "nonsense\n",
        "\n",
        "{}\n",
        "\u00ff".repeat(70_000),
        "\n",
        line(7).slice(0, -5),
      ];
      expect(await imports.read(lines.join(""))).toEqual({
        lines: 11,
        counted: 4,
        counted_before: 0,
        answered_by_node: 1,
        rejected: 5,
        rejected_by_reason: {
          too_old: 1,
          in_the_future: 1,
          unknown_format: 1,
          wrong_fields: 1,
          line_too_long: 1,
        },
        unfinished: 1,
        damage: undefined,
        ignoredBytes: 0,
      });
      const { usage } = await imports.state();
      const { counts, topEndpoints, topCities } = await usage.report(NOW + DAY_MS, 7);
      expect(counts).toMatchObject({
        externalRequests: 3,
        internalRequests: 1,
        transport: { rest: 2, mcp: 0, other: 1 },
        clientClass: { ai_crawler: 1, other_client: 2 },
        status: { "2xx": 2, unclassified: 1 },
      });
      expect(topEndpoints.map(({ value }) => value)).toEqual(["getCityIndex", "getPulseRss"]);
      expect(topCities).toEqual([{ value: "toronto", requests: 2 }]);
    });

    test("of a combined log, what Node alone can answer is not counted", async () => {
      await using imports = new Imports();
      const asked = [
        "GET /api/v1/cities",
        "GET /api/v1/search",
        "GET /api/v1/cities?x=1",
        "POST /mcp",
        "POST /api/v1/alerts/subscribe",
        "GET /ledger/proof/7",
        "HEAD /ledger/checkpoint",
        "GET /healthz",
      ];
      const lines = asked.map(
        (head) => `203.0.113.7 - - [08/May/2026:11:00:00 +0000] "${head} HTTP/1.1" 200 5 "-" "-"\n`,
      );
      const missing = lines[0]?.replace(" 200 ", " 404 ") ?? "";
      const summary = await imports.read(lines.join("") + missing);
      expect(summary).toMatchObject({ lines: 9, counted: 2, answered_by_node: 7, rejected: 0 });
    });

    test("twice, grown, rotated or compressed: each line is counted once", async () => {
      await using imports = new Imports();
      expect(await imports.read(log(3100))).toMatchObject({ counted: 3100, counted_before: 0 });
      expect(await imports.read(log(3100), 77)).toMatchObject({ counted: 0, counted_before: 3100 });
      expect(await imports.read(log(4600))).toMatchObject({ counted: 1500, counted_before: 3100 });
      expect(await imports.read(gzipSync(log(4601)))).toMatchObject({ counted: 1, counted_before: 4600 });
      expect(await imports.requests()).toBe(4601);
      const next = log(4601).slice(log(4601).indexOf("\n") + 1);
      expect(await imports.read(next.slice(0, next.indexOf("\n") + 1))).toMatchObject({ counted: 1 }); // another log
    });

    test("a line that is being written is counted when it is whole", async () => {
      await using imports = new Imports();
      const whole = log(10);
      for (const end of [whole.length - 200, whole.length - 40, whole.length - 1])
        await imports.read(whole.slice(0, end));
      expect(await imports.read(whole)).toMatchObject({ unfinished: 0 });
      expect(await imports.requests()).toBe(10);
    });

    test("cut off anywhere, a log and the rest of it count as the whole", async () => {
      const whole = log(5000);
      for (const share of [0.1, 0.5, 0.9]) {
        await using imports = new Imports();
        const broken = await imports.read(gzipSync(whole).subarray(0, gzipSync(whole).length * share));
        expect(broken.damage).toBeDefined();
        await imports.read(whole);
        expect(await imports.requests()).toBe(5000);
      }
    });

    test("killed after any commit, a second run counts the rest", async () => {
      await using imports = new Imports();
      const { usage } = await imports.state();
      const whole = Buffer.from(log(7000));
      for (const kill of [1, 2]) {
        let commits = 0;
        const run = importLog({
          source: inPieces(whole, 1000),
          usage,
          known: { isInternal: () => false, places },
          now: NOW,
          onCommit: () => {
            commits += 1;
            if (commits === kill) throw new Error("killed");
          },
        });
        await expect(run).rejects.toThrow("killed");
      }
      expect(await imports.requests()).toBe(4000);
      expect(await imports.read(whole)).toMatchObject({ counted: 3000, counted_before: 4000 });
      expect(await imports.requests()).toBe(7000);
    });
  });
});
