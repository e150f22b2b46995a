import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSite } from "../../../tests/support/release/site.ts";
import type { RunningServer } from "../main.ts";

let site: TestSite;
let server: RunningServer;

beforeAll(async () => {
  site = new TestSite();
  site.publish();
  server = await site.serve();
});

afterAll(async () => {
  await server.stop();
  site[Symbol.dispose]();
});

const SEARCH = "/api/v1/search?limit=9";
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** As it arrives, which `fetch` would decompress. */
async function ask(path: string, headers: Record<string, string> = {}, body?: string, method = "GET") {
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  const sent = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  request(server.url + path, { method: body === undefined ? method : "POST", headers: sent }, resolve)
    .on("error", reject)
    .end(body);
  const answer = await promise;
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

test.each(Object.entries(DECODERS))(
  "a search and an answer to MCP are sent as %s",
  async (encoding, decode) => {
    const accept = { "accept-encoding": encoding };
    for (const [path, body] of [[SEARCH], ["/mcp", LIST]] as const) {
      const [plain, packed] = await Promise.all([ask(path, {}, body), ask(path, accept, body)]);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(packed.headers).toMatchObject({
        "content-encoding": encoding,
        "content-length": String(packed.body.length),
        vary: expect.stringContaining("Accept-Encoding"),
      });
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      expect(decode(packed.body).equals(plain.body)).toBe(true);
    }
  },
);

test("each encoding has a tag of its own, under which it is unchanged", async () => {
  const accept = { "accept-encoding": "br" };
  const [plain, packed, head] = await Promise.all([
    ask(SEARCH),
    ask(SEARCH, accept),
    ask(SEARCH, accept, undefined, "HEAD"),
  ]);
  const [etag = "", other = ""] = [packed.headers.etag, plain.headers.etag];
  expect(etag).toBe(`${other.slice(0, -1)}-br"`);
  expect([head.headers.etag, head.headers["content-length"]]).toEqual([
    etag,
    packed.headers["content-length"],
  ]);
  const again = await ask(SEARCH, { ...accept, "if-none-match": etag });
  expect([again.status, again.headers.etag, again.headers.vary]).toEqual([304, etag, packed.headers.vary]);
  expect((await ask(SEARCH, { ...accept, "if-none-match": other })).status).toBe(200);
});

test("what fits a packet, an error, and what is said to one person are sent as they are", async () => {
  const accept = { "accept-encoding": "gzip, br, zstd" };
  const long = "x".repeat(1500);
  for (const [path, body] of [
    ["/api/v1/search?limit=1&name=nothing"],
    [`/api/v1/search?${long}=1`],
    ["/api/v1/alerts/subscribe", JSON.stringify({ [long]: 1 })],
    ["/mcp", "{}"],
  ] as const)
    expect((await ask(path, accept, body)).headers["content-encoding"], path).toBeUndefined();
});
