import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { portOf } from "../../kernel/port.ts";
import { FileCache } from "./file-cache.ts";
import { sendFile } from "./send-file.ts";

const CONTENT = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 31) % 251));
const folder = mkdtempSync(join(tmpdir(), "large-"));
const server = createServer((request, response) => {
  const files = new FileCache(folder, request.headers["x-memory"] === "large" ? 1e9 : 1e6);
  void files.load("/large.bin").then((file) => {
    if (file) sendFile(request, response, file);
    else response.writeHead(404).end();
  });
});

beforeAll(async () => {
  writeFileSync(join(folder, "large.bin"), CONTENT);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const get = (headers: Record<string, string>, method = "GET") =>
  fetch(`http://127.0.0.1:${portOf(server)}/`, { headers, method });

test.each(["small", "large"])("a large file arrives whole and in parts (%s memory)", async (memory) => {
  const whole = await get({ "x-memory": memory });
  expect(Buffer.from(await whole.arrayBuffer()).equals(CONTENT)).toBe(true);
  const etag = whole.headers.get("etag") ?? "";
  for (const [range, from, to] of [
    ["bytes=0-0", 0, 1],
    ["bytes=100-600000", 100, 600_001],
    ["bytes=-300000", 400_000, 700_000],
  ] as const) {
    const part = await get({ "x-memory": memory, range, "if-range": etag });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/700000`);
    expect(Buffer.from(await part.arrayBuffer()).equals(CONTENT.subarray(from, to))).toBe(true);
  }
  expect((await get({ "x-memory": memory, range: "bytes=700000-" })).status).toBe(416);
  expect((await get({ "x-memory": memory, "if-none-match": etag })).status).toBe(304);
  const head = await get({ "x-memory": memory }, "HEAD");
  expect([head.headers.get("content-length"), await head.text()]).toEqual(["700000", ""]);
});
