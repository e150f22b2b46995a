import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSite } from "../testing/release/site.ts";
import type { RunningServer } from "./main.ts";

const site = new TestSite();
const events: string[] = [];
let server: RunningServer;

beforeAll(async () => {
  site.publish();
  const note = (event: string) => void events.push(event);
  server = await site.serve(
    { trustedProxies: 1, metrics: { host: "127.0.0.1", port: 0 }, delivery: "server" },
    { log: { info: note, error: note } },
  );
});
afterAll(() => site[Symbol.dispose]());

let asked = 0;
async function subscribe(): Promise<{ status: number; body: unknown }> {
  asked += 1;
  const response = await fetch(`${server.url}/api/v1/alerts/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": `203.0.113.${asked}` },
    body: JSON.stringify({ email: `reader-${asked}@example.org`, city: "toronto" }),
  });
  return { status: response.status, body: await response.json() };
}

async function ready(): Promise<[number, unknown]> {
  const response = await fetch(`${server.url}/readyz`);
  return [response.status, await response.json()];
}

const metrics = async () => (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
const count = (event: string) => events.filter((each) => each === event).length;

test("a removed log is noticed before anything is acknowledged, told everywhere, and mended without a loss", async () => {
  expect((await subscribe()).status).toBe(201);
  rmSync(`${site.home.state}-wal`);
  expect(await subscribe()).toEqual({
    status: 503,
    body: expect.objectContaining({ error: expect.stringContaining("temporarily unavailable") }),
  });
  expect(await ready()).toEqual([503, { status: "state lost" }]);
  expect(await metrics()).toMatch(/^presence_state_up 0$/m);
  expect((await fetch(`${server.url}/api/v1/cities`)).status).toBe(200);

  await expect.poll(async () => (await subscribe()).status, { timeout: 30_000, interval: 200 }).toBe(201);
  expect(await ready()).toEqual([200, { status: "ok" }]);
  expect(await metrics()).toMatch(/^presence_state_losses_total 1$/m);
  expect([count("state_lost"), count("state_open_again")]).toEqual([1, 1]);
  await server.stop();

  const database = new Database(site.home.state, { readonly: true });
  const kept = database.prepare("SELECT email FROM subscription_requests").pluck().all();
  database.close();
  expect(kept).toEqual(expect.arrayContaining(["reader-1@example.org", `reader-${asked}@example.org`]));
}, 60_000);
