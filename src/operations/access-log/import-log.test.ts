import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Places } from "../../activity/known-places.ts";
import { homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { openState, type State } from "../../state/open-state.ts";
import { importLog } from "./import-log.ts";

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
