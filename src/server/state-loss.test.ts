import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { accountOperations } from "../contract/accounts/account-operations.ts";
import type { Log } from "../kernel/log.ts";
import type { RunningServer } from "./main.ts";

const site = new TestSite();
const entries: Parameters<Log["info"]>[] = [];
let server: RunningServer;

beforeAll(async () => {
  site.publish();
  const note: Log["info"] = (...entry) => void entries.push(entry);
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
const count = (event: string) => entries.filter(([each]) => each === event).length;

/** Asks for what only its owner may know, in all ways. */
async function askForSecrets(): Promise<void> {
  for (const { path, method } of accountOperations.filter(({ path }) => path.includes("{")))
    for (const address of [path, path.replace("/v1/", "/%761/"), `/${path}`])
      await fetch(`${server.url}${address.replace(/\{\w+\}/, "geheim")}?token=geheim`, {
        method,
        headers: { Authorization: "Bearer geheim" },
      });
}

test("a removed log is noticed before anything is acknowledged, told everywhere, logged without ids, and mended without a loss", async () => {
  expect((await subscribe()).status).toBe(201);
  await askForSecrets();
  rmSync(`${site.home.state}-wal`);
  expect(await subscribe()).toEqual({
    status: 503,
    body: expect.objectContaining({ error: expect.stringContaining("temporarily unavailable") }),
  });
  await askForSecrets();
  expect(await ready()).toEqual([503, { status: "state lost" }]);
  expect(await metrics()).toMatch(/^presence_state_up 0$/m);
  expect((await fetch(`${server.url}/api/v1/cities`)).status).toBe(200);

  await expect.poll(async () => (await subscribe()).status, { timeout: 30_000, interval: 200 }).toBe(201);
  expect(await ready()).toEqual([200, { status: "ok" }]);
  expect(await metrics()).toMatch(/^presence_state_losses_total 1$/m);
  expect([count("state_lost"), count("state_open_again")]).toEqual([1, 1]);
  expect(count("account_request_failed")).toBeGreaterThan(0);
  expect(JSON.stringify(entries)).not.toMatch(/geheim|reader-|203\.0/);
  await server.stop();

  const database = new Database(site.home.state, { readonly: true });
  const kept = database.prepare("SELECT email FROM subscription_requests").pluck().all();
  database.close();
  expect(kept).toEqual(expect.arrayContaining(["reader-1@example.org", `reader-${asked}@example.org`]));
});
