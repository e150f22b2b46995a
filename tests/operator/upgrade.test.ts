/** Every earlier version's home is taken over: rehearsed, served, continued by a night with new intake, verified and replayed. */
import { readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { releasePaths } from "../../src/kernel/home.ts";
import { NightlyStatus } from "../../src/kernel/nightly-status.ts";
import {
  EARLIER_URL,
  type EarlierFacts,
  earlierVersions,
  placeEarlierHome,
  SUBSCRIBER,
} from "../../src/testing/earlier/earlier-home.ts";
import { Operator } from "../../src/testing/operations/operator.ts";
import { Mailbox } from "../../src/testing/servers/mailbox.ts";
import { type DemoServer, serveHome } from "../../src/testing/towns/demo-home.ts";
import { benchCities } from "../../src/testing/towns/observations.ts";
import { ndjson, TOWN_SLUG } from "../../src/testing/towns/town.ts";

const NEWCOMER = "Quokka Lantern Works";
const NIGHT_MS = 300_000;

const Rehearsal = z.looseObject({
  version: z.string(),
  parts: z.array(z.looseObject({ part: z.string(), not_rehearsed: z.null() })),
});
const Index = z.object({ rankings: z.array(z.object({ name: z.string() })) });

/** A business that three people saw. */
function visits(name: string, at: number): object[] {
  const [city] = benchCities(1);
  return [1, 2, 3].map((visit) => ({
    source_type: "scout",
    source_ref: `after-${at}-${visit}`,
    observer: `scout-${at}-${visit}`,
    observed_at: `2026-04-2${visit}T13:47:23Z`,
    lat: (city?.lat ?? 0) + at / 100,
    lng: city?.lng,
    name,
    asset_type: "storefront",
  }));
}

describe.each(earlierVersions())("the home of version %s", (version) => {
  let mailbox: Mailbox;
  let operator: Operator;
  let facts: EarlierFacts;
  let server: DemoServer;
  let log = "";

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    const env = {
      BASE_URL: EARLIER_URL,
      SMTP_URL: mailbox.url,
      MAIL_FROM: "alerts@earlier.test",
      DELIVERY: "worker",
      SERVER_SECRETS: "allow",
    };
    operator = new Operator(env);
    facts = placeEarlierHome(version, operator.home);
    server = await serveHome(operator.home.root, {
      env,
      onLog: (text) => {
        log += text;
      },
    });
  });
  afterAll(async () => {
    await server?.stop();
    operator?.[Symbol.dispose]();
    await mailbox?.[Symbol.asyncDispose]();
  });

  const site = () => releasePaths(join(operator.home.root, readlinkSync(operator.home.current))).site;
  const status = async (path: string) => (await fetch(server.url + path)).status;

  test("its release is served as files, and whatever needs more is refused plainly", async () => {
    expect(basename(readlinkSync(operator.home.current))).toBe(facts.release);
    const page = await fetch(server.url);
    expect([page.status, await page.text()]).toEqual([200, readFileSync(join(site(), "index.html"), "utf8")]);
    expect(await Promise.all(["/readyz", `/api/v1/city/${TOWN_SLUG}/index`].map(status))).toEqual([200, 200]);
    expect(await Promise.all(["/api/v1/search?name=a", "/api/v1/status"].map(status))).toEqual([503, 503]);
    expect(log).toContain("release_files_only");
  });

  test("an upgrade to this version can be rehearsed", async () => {
    const rehearsal = await operator.ok(["upgrade", "check", "--json", "--scratch", operator.folder]);
    expect(Rehearsal.parse(JSON.parse(rehearsal)).parts).toHaveLength(3);
  });

  test(
    "a night with new intake continues it; its release verifies, replays, and is picked up",
    async () => {
      const lines = [...visits(NEWCOMER, 1), ...visits(facts.opted_out, 2)];
      const clock = (time: string) => ["--clock", `2026-05-03T${time}:00Z`];
      await operator.ok([
        "ingest",
        operator.write("new.ndjson", ndjson(lines)),
        "--synthetic",
        ...clock("07:00"),
      ]);
      const night = await operator.ok(["nightly", "--now", "--json", ...clock("08:00")]);
      const { exit_code, steps } = NightlyStatus.parse(JSON.parse(night));
      expect(exit_code).toBe(0);
      expect(steps.find(({ name }) => name === "deliver")?.facts["delivered"]).toBe(1);
      await operator.ok(["verify", "--release", site()]);
      await operator.ok(["replay", "--release", site()]);
      const index = JSON.parse(readFileSync(join(site(), `api/v1/city/${TOWN_SLUG}/index.json`), "utf8"));
      const names = Index.parse(index).rankings.map(({ name }) => name);
      expect(names).toContain(NEWCOMER);
      expect(names).not.toContain(facts.opted_out);
      await expect.poll(() => status("/api/v1/search?name=quokka"), { timeout: 30_000 }).toBe(200);
    },
    NIGHT_MS,
  );

  test("a subscription that was confirmed then is told once, and its link ends it", async () => {
    expect(mailbox.mails.map(({ to }) => to)).toEqual([[SUBSCRIBER]]);
    const [mail] = mailbox.mails;
    expect(mail?.text).toContain(NEWCOMER);
    const path = new RegExp(`${EARLIER_URL}(/alerts/unsubscribe/\\?token=[\\w.-]+)`).exec(
      mail?.text ?? "",
    )?.[1];
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const ended = await fetch(`${server.url}${path}`, { method: "POST", body, redirect: "manual" });
    expect(ended.status).toBe(200);
  });
});
