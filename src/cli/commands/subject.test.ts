/** Requests of a person about stored data, against a running server; after the erasure no file has the address. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestSite } from "../../../tests/support/release/site.ts";
import { WISH } from "../../../tests/support/state/stores.ts";
import type { Log } from "../../kernel/log.ts";
import type { RunningServer } from "../../server/main.ts";
import { openState, type State } from "../../state/open-state.ts";

const SUBJECT = "Jane.Subject+alerts@person.example";
const SPELLED = "jane.subject@person.example";

const site = new TestSite();
const logged: string[] = [];
const log: Log = {
  info: (event, fields) => void logged.push(JSON.stringify([event, fields])),
  error: (event, fields) => void logged.push(JSON.stringify([event, fields])),
};
let server: RunningServer;
let state: State;

beforeAll(async () => {
  site.publish();
  server = await site.serve({ delivery: "server" }, { log });
  state = await openState(undefined, site.home);
});

afterAll(async () => {
  await state.close();
  await server.stop();
  site[Symbol.dispose]();
});

async function subject(...args: string[]): Promise<string> {
  return (await presenceAt(site.home, ["subject", ...args])).stdout;
}

const Found = z.looseObject({ mailbox: z.string(), confirm: z.string().nullable(), subscriptions: z.int() });
const preview = async () => Found.parse(JSON.parse(await subject("erase", SPELLED, "--json")));

/** The files of the home that name the person: databases, their logs, emails. Read by another process, which drops no lock of this one. */
function namingFiles(): string[] {
  const { stdout } = spawnSync("grep", ["-rlaiE", "jane\\.subject", site.home.root], { encoding: "utf8" });
  return stdout.split("\n").filter((path) => path !== "");
}

const post = (path: string, body: string | URLSearchParams, headers = {}) =>
  fetch(server.url + path, { method: "POST", redirect: "manual", body, headers });

/** Resolves when the server has written every email that it has to: one that comes later would name the person again. */
async function emailsWritten(): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const { waiting, leased } = (await state.outbox.counts()).mail;
    if (waiting + leased === 0) return;
    await sleep(50);
  }
  throw new Error("not every email was written");
}

async function subscribe(): Promise<string> {
  const json = { "Content-Type": "application/json" };
  const wish = JSON.stringify({ email: SUBJECT, city: "toronto" });
  const answer = await post("/api/v1/alerts/subscribe", wish, json);
  return z.looseObject({ subscription: z.looseObject({ public_id: z.string() }) }).parse(await answer.json())
    .subscription.public_id;
}

test("a person is found, gets a copy, is erased by the printed code, and then no file or log names them", async () => {
  const publicId = await subscribe();
  expect(namingFiles().length).toBeGreaterThan(0);
  const { token } = await state.subscriptions.request({ ...WISH, email: SPELLED });
  expect((await post(`/alerts/confirm/?token=${token}`, new URLSearchParams())).status).toBe(303);
  await emailsWritten();
  expect(namingFiles().some((path) => path.endsWith(".eml"))).toBe(true);
  const text = JSON.stringify({ kind: "other", text: "The name is not mine.", email: SUBJECT });
  await post("/api/v1/reports", text, { "Content-Type": "application/json" });

  expect(await subject("find", SPELLED.toUpperCase())).toMatch(
    /mailbox +jane\.subject@person\.example(.|\n)*subscriptions +1(.|\n)*reports +1/,
  );
  const copy = await subject("export", SPELLED);
  expect(JSON.parse(copy)).toMatchObject({
    subscriptions: [{ email: SPELLED, city: "toronto", status: "active" }],
    subscription_requests: [{ public_id: publicId }, {}],
    reports: [{ kind: "other", text: "The name is not mine.", email: SUBJECT }],
  });
  expect(copy).not.toMatch(/[0-9a-f]{64}|token|_key|hash/);

  const shown = await subject("erase", SPELLED);
  const { confirm } = await preview();
  expect(shown).toContain(`To erase this: presence subject erase ${SPELLED} --confirm ${confirm}`);
  await expect(subject("erase", SPELLED, "--confirm", "000000000000")).rejects.toThrow("does not match");
  expect((await preview()).subscriptions).toBe(1);

  const done = JSON.parse(await subject("erase", SUBJECT, "--confirm", confirm ?? "", "--json"));
  expect(done).toMatchObject({ subscriptions: 1, reports: 1, write_ahead_log_cut: true });
  expect(namingFiles()).toEqual([]);
  expect(existsSync(`${site.home.state}-wal`)).toBe(true); // the server has it open
  expect(logged.join("\n")).not.toMatch(/jane|person\.example/i);
  expect(await preview()).toMatchObject({ subscriptions: 0, confirm: null });
  expect(await subject("erase", SPELLED)).toContain("Nothing is stored of this address.");
});

test.each([
  ["an unsubscribe", "unsubscribe", "/alerts/ended/"],
  ["a refusal of all email", "never", "/alerts/refused/"],
] as const)("after %s no file of the database names the address", async (_, page, result) => {
  const { publicId, token } = await state.subscriptions.request({ ...WISH, email: SUBJECT });
  await state.subscriptions.confirm(token);
  expect(namingFiles().some((path) => path.includes("state.db"))).toBe(true);
  const links = {
    unsubscribe: state.subscriptions.linkToken("unsubscribe", publicId),
    never: state.subscriptions.neverToken(SUBJECT),
  };
  const address = `/alerts/${page}/?token=${links[page]}`;
  const refused = await post(`${address}x`, new URLSearchParams());
  expect([refused.status, refused.headers.get("location")]).toEqual([303, "/alerts/expired/"]);
  expect((await state.subscriptions.get(publicId))?.email).toBe(SUBJECT);
  const crossSite = await post(address, new URLSearchParams(), { "Sec-Fetch-Site": "cross-site" });
  expect(crossSite.status).toBe(403);
  const answer = await post(address, new URLSearchParams());
  expect([answer.status, answer.headers.get("location")]).toEqual([303, result]);
  expect(namingFiles()).toEqual([]);
  const again = await post(address, new URLSearchParams(), { Accept: "application/json" });
  expect([again.status, await again.json()]).toMatchObject([200, { ok: true }]);
});

test.each([["not an address"], ["a@b.example, c@d.example"]])("%s is refused", async (text) => {
  await expect(subject("find", text)).rejects.toThrow("<email> must be one email address");
});
