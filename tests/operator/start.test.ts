import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { AlertSubscriptionResponse } from "../../src/contract/accounts/alerts.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { DEMO_BASE_URL } from "../support/towns/demo-home.ts";
import { SHARED_CACHES } from "../support/towns/shared-caches.ts";
import { TOWN_SLUG } from "../support/towns/town.ts";

/** `npm start`: what a newcomer runs first, and runs again. */

const PROJECT = join(import.meta.dirname, "../..");
const home = join(mkdtempSync(join(tmpdir(), "start-")), "var");
cpSync(inject("townHome"), home, { recursive: true, verbatimSymlinks: true });
afterAll(() => rmSync(dirname(home), { recursive: true }));

interface Started extends AsyncDisposable {
  readonly url: string;
  readonly output: () => string;
}

async function start(baseUrl: string): Promise<Started> {
  const child = spawn(process.execPath, ["src/cli/cli.ts", "start"], {
    cwd: PROJECT,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      PRESENCE_HOME: home,
      PORT: "0",
      BASE_URL: baseUrl,
      SOURCE_REVISION: "test",
      ...SHARED_CACHES,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  await once(child.stdout, "data");
  const [, url = ""] = / on (http:\S+)/.exec(output) ?? [];
  return {
    url,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function startOnce(baseUrl: string): Promise<{ release: string; page: number }> {
  await using started = await start(baseUrl);
  const { status } = await fetch(`${started.url}/city/${TOWN_SLUG}/`);
  return { release: readlinkSync(homePaths(home).current), page: status };
}

const WAIT = { timeout: 30_000, interval: 100 };
const Json = { "Content-Type": "application/json" };

test("without a mail server the whole way of an alert can be tried: the emails are files", async () => {
  await using started = await start(DEMO_BASE_URL);
  const { url } = started;
  const request = { email: "reader@mail.example", city: TOWN_SLUG };
  const asked = await fetch(`${url}/api/v1/alerts/subscribe`, {
    method: "POST",
    headers: Json,
    body: JSON.stringify(request),
  });
  const { delivery, subscription } = AlertSubscriptionResponse.parse(await asked.json());
  expect(delivery).toMatchObject({ status: "verification_pending", email: "written_to_files" });
  expect(delivery.note).toMatch(/an \.eml file into the folder state\/mail\//);
  expect(delivery.note).not.toContain(dirname(home));
  await expect.poll(started.output, WAIT).toContain(`writes its email to ${join(home, "state/mail")}`);

  const mails = () =>
    existsSync(join(home, "state/mail"))
      ? readdirSync(join(home, "state/mail")).filter((name) => name.endsWith(".eml"))
      : [];
  await expect.poll(mails, WAIT).toHaveLength(1);
  const source = readFileSync(join(home, "state/mail", mails()[0] ?? ""), "utf8");
  const text = source.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=");
  const [, link = ""] = new RegExp(`${DEMO_BASE_URL}(/alerts/confirm/\\?token=[\\w.-]+)`).exec(text) ?? [];
  const confirmed = await fetch(url + link, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(),
  });
  expect(await confirmed.json()).toMatchObject({
    subscription: { public_id: subscription.public_id, status: "active" },
  });

  const form = await fetch(`${url}/alerts/`, {
    method: "POST",
    redirect: "manual",
    headers: { Accept: "text/html" },
    body: new URLSearchParams({ ...request, min_confidence: "0.6" }),
  });
  const page = await (await fetch(url + form.headers.get("location"))).text();
  const [firstSentences = ""] = delivery.note.split(" Once confirmed");
  expect(page).toContain(firstSentences.replaceAll("`", ""));
});

test("serves the release that is there, and builds another only for another address", async () => {
  const before = readlinkSync(homePaths(home).current);
  expect(await startOnce(DEMO_BASE_URL)).toEqual({ release: before, page: 200 });
  const moved = await startOnce("https://moved.test");
  expect(moved.page).toBe(200);
  expect(moved.release).not.toBe(before);
  expect((await startOnce("https://moved.test")).release).toBe(moved.release);
});
