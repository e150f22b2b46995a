import { statSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { TestSite } from "../../../tests/support/release/site.ts";
import { releasePaths } from "../../kernel/home.ts";
import type { RunningServer } from "../main.ts";

/** A patch that follows within the same second as the release that it mends. */

let site: TestSite;
let server: RunningServer;

beforeAll(async () => {
  site = new TestSite();
  site.isLinking = true;
  await site.publishSigned();
  server = await site.serve();
});

afterAll(async () => {
  await server.stop();
  site[Symbol.dispose]();
});

const CHANGED = ["/api/v1/city/toronto/index", "/api/v1/search?limit=2", "/manifest.json"];
const UNCHANGED = ["/explorer/", "/city/toronto/"];

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(server.url + path, { headers });
  await answer.arrayBuffer();
  return { status: answer.status, modified: answer.headers.get("last-modified") ?? "none" };
}

test("a patch is never a 304, what it left is one, and nothing is dated twice", async () => {
  const before = new Map<string, string>();
  for (const path of [...CHANGED, ...UNCHANGED]) before.set(path, (await ask(path)).modified);
  const since = (path: string) => ask(path, { "if-modified-since": before.get(path) ?? "" });
  for (const path of before.keys()) expect(await since(path), path).toMatchObject({ status: 304 });
  site.addRecord("Delta");
  const { manifest } = releasePaths(await site.publishSigned());
  await vi.waitFor(
    async () => expect((await ask("/manifest.json")).modified).not.toBe(before.get("/manifest.json")),
    {
      timeout: 10_000,
    },
  );
  for (const path of UNCHANGED)
    expect(await since(path)).toEqual({ status: 304, modified: before.get(path) });
  for (const path of CHANGED) {
    const { status, modified } = await since(path);
    expect([status, Date.parse(modified)], path).toEqual([200, statSync(manifest).mtimeMs]);
    expect(Date.parse(modified)).toBeGreaterThan(Date.parse(before.get(path) ?? ""));
  }
});

test("an answer that depends on the time of the request has no date", async () => {
  expect(await ask("/api/v1/status")).toEqual({ status: 200, modified: "none" });
});
