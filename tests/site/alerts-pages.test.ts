import { rmSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CityList } from "../../src/contract/cities/city.ts";
import { PulseResponse } from "../../src/contract/cities/pulse.ts";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { Mailbox } from "../support/servers/mailbox.ts";
import {
  DEMO_BASE_URL,
  type DemoServer,
  homeBeside,
  presence,
  serveHome,
} from "../support/towns/demo-home.ts";

/** Alerts and the partner portal as people use them: real server, real mail server, real browser. */

const WAIT = { timeout: 20_000, interval: 100 };
const Client = z.looseObject({ client: z.string() });
const IssuedKey = z.looseObject({ api_key: z.string(), begins_with: z.string() });

let home: string;
let mailbox: Mailbox;
let server: DemoServer;
let browser: Browser;
let city: string; // slug of one with events in the last 30 days
let log = "";

beforeAll(async () => {
  home = homeBeside(inject("demoHome"));
  mailbox = await Mailbox.open();
  const env = { SMTP_URL: mailbox.url, MAIL_FROM: "alerts@demo.test" };
  const onLog = (text: string) => {
    log += text;
  };
  [server, browser] = await Promise.all([serveHome(home, { env, onLog }), openBrowser()]);
  const cities = CityList.parse(await (await fetch(`${server.url}/api/v1/cities`)).json());
  const feeds = await Promise.all(
    cities.map(async ({ slug }) =>
      PulseResponse.parse(await (await fetch(`${server.url}/api/v1/pulse/${slug}`)).json()),
    ),
  );
  city = feeds.find(({ summary }) => summary.total_events > 0)?.city.slug ?? "";
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await mailbox[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

const open = (options: Parameters<typeof WatchedPage.open>[2] = {}) =>
  WatchedPage.open(browser, server.url, options);

/** The link of a kind in the newest mail to an address that has one, as this server answers it. */
async function mailedLink(address: string, kind: "confirm" | "manage" | "unsubscribe"): Promise<string> {
  const link = new RegExp(`${DEMO_BASE_URL}(/alerts/${kind}/\\?token=[\\w.-]+)`);
  const newest = () =>
    mailbox
      .to(address)
      .flatMap(({ text }) => link.exec(text)?.[1] ?? [])
      .at(-1);
  await expect.poll(newest, WAIT).toBeDefined();
  return newest() ?? "";
}

async function fillForm(page: Page, address: string): Promise<void> {
  await page.goto("/alerts/");
  await page.getByLabel("Email address").fill(address);
  await page.getByLabel("City").selectOption(city);
}

/** From the form to the end, with whatever the browser can. */
async function wholeWay(page: Page, address: string, askForIt: () => Promise<void>): Promise<void> {
  await fillForm(page, address);
  await askForIt();
  await page.goto(await mailedLink(address, "confirm"));
  await page.getByRole("button", { name: "Confirm the subscription" }).click();
  await page.waitForURL("**/alerts/confirmed/");
  const manage = await mailedLink(address, "manage");
  for (const [button, result] of [
    ["Pause: send nothing for now", "paused"],
    ["Resume: send changes again", "resumed"],
  ] as const) {
    await page.goto(manage);
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(`**/alerts/${result}/`);
  }
}

describe("alerts", () => {
  test("without JavaScript: asked for, confirmed, paused, resumed, ended", async () => {
    await using watched = await open({ javaScriptEnabled: false });
    const { page, faults } = watched;
    const address = "plain@reader.example.org";
    await wholeWay(page, address, async () => {
      await page.getByRole("button", { name: "Subscribe" }).click();
      await page.waitForURL("**/alerts/check-your-mail/");
    });
    await page.goto(await mailedLink(address, "unsubscribe"));
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.waitForURL("**/alerts/ended/");
    await page.goto(await mailedLink(address, "confirm"));
    await page.getByRole("button", { name: "Confirm the subscription" }).click();
    await page.waitForURL("**/alerts/expired/");
    expect(faults).toEqual([]);
  });

  test("with JavaScript: what would have matched, what a link is about, and its status", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    const address = "script@reader.example.org";
    await wholeWay(page, address, async () => {
      await page.getByRole("button", { name: "Subscribe" }).click();
      await page.locator('#outcome[data-state="accepted"]').waitFor();
      expect(await page.locator("#outcome").innerText()).toMatch(/Matching events in the last 30 days: \d+/);
    });
    await page.goto(await mailedLink(address, "manage"));
    const details = page.locator('[data-details][data-state="shown"]');
    await details.waitFor();
    const text = await details.innerText();
    expect(text).toContain("s…@reader.example.org");
    expect(text).toContain("active");
    expect(text).not.toContain(address);
    expect(await page.getByRole("button", { name: "Pause" }).isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: "Resume" }).isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });

  test.each([true, false])(
    "what is sent can be changed afterwards (JavaScript: %s)",
    async (javaScriptEnabled) => {
      await using watched = await open({ javaScriptEnabled });
      const { page, faults } = watched;
      const address = `change-${javaScriptEnabled}@reader.example.org`;
      await wholeWay(page, address, () => page.getByRole("button", { name: "Subscribe" }).click());
      const manage = await mailedLink(address, "manage");
      await page.goto(manage);
      if (javaScriptEnabled) await page.locator('[data-details][data-state="shown"]').waitFor();
      for (const box of await page.getByRole("checkbox").all()) await box.setChecked(false);
      await page.getByLabel("our web check of a record found nothing online").check();
      const words = "only what is well corroborated (confidence 0.85 or more)";
      await page.getByLabel("How certain it must be").selectOption(words);
      await page.getByRole("button", { name: "Save the changes" }).click();
      await page.waitForURL("**/alerts/changed/");
      const view = await fetch(server.url + manage.replace("/alerts/", "/api/v1/alerts/").replace("/?", "?"));
      expect(await view.json()).toMatchObject({
        subscription: { status: "active", event_types: ["digital_gap_detected"], min_confidence: 0.85 },
      });
      expect(faults).toEqual([]);
    },
  );

  test("a link that was used or is incomplete offers nothing to confirm", async () => {
    await using watched = await open();
    const { page } = watched;
    for (const address of ["/alerts/confirm/", "/alerts/confirm/?token=none"]) {
      await page.goto(address);
      await page.locator('[data-details][data-state="refused"]').waitFor();
      expect(await page.getByRole("button", { name: "Confirm the subscription" }).isVisible()).toBe(false);
      expect(await page.getByText("Nothing is sent unless you confirm").isVisible()).toBe(false);
      expect(await page.locator("[data-details]").innerText()).toMatch(/^[A-Z]/);
    }
  });

  test("one click in a mail program ends them, and its mail says how", async () => {
    const address = "oneclick@reader.example.org";
    await using watched = await open({ javaScriptEnabled: false });
    await wholeWay(watched.page, address, () =>
      watched.page.getByRole("button", { name: "Subscribe" }).click(),
    );
    expect(mailbox.to(address).at(-1)?.text).toMatch(/List-Unsubscribe-Post: List-Unsubscribe=One-Click/i);
    const path = await mailedLink(address, "unsubscribe");
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const ended = await fetch(server.url + path, { method: "POST", body, redirect: "manual" });
    expect(ended.status).toBe(200);
    const manage = (await mailedLink(address, "manage")).replace("/alerts/manage/", "/api/v1/alerts/manage");
    expect(await (await fetch(server.url + manage)).json()).toMatchObject({
      subscription: { status: "unsubscribed", address: null },
    });
  });

  test("what is wrong is said at the form, and nothing is lost", async () => {
    await using watched = await open();
    const { page } = watched;
    await fillForm(page, "wrong@reader.example.org");
    await page.getByText("More options").click();
    await page.getByLabel("Only this record").fill("pr_none");
    await page.getByRole("button", { name: "Subscribe" }).click();
    await page.locator('#outcome[data-state="refused"]').waitFor();
    expect(await page.locator("#outcome").innerText()).toContain("no such Presence Record");
    expect(await page.getByLabel("Email address").inputValue()).toBe("wrong@reader.example.org");
  });
});

describe("the partner portal", () => {
  test("shows what the key may see, and keeps the key nowhere", async () => {
    const { client } = Client.parse(JSON.parse(await presence(home, "partner", "create", "Maps", "--json")));
    const issued = IssuedKey.parse(
      JSON.parse(await presence(home, "partner", "key", "issue", client, "--json")),
    );
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/partners/");
    await page.getByLabel("API key").fill("ppes_live_wrong");
    await page.getByRole("button", { name: "Show the portal" }).click();
    await page.locator('#outcome[data-state="refused"]').waitFor();
    expect(await page.locator("#outcome").innerText()).toContain("invalid or revoked");
    await page.getByLabel("API key").fill(issued.api_key);
    await page.getByRole("button", { name: "Show the portal" }).click();
    await page.locator('#outcome[data-state="shown"]').waitFor();
    const shown = await page.locator("#portal").innerText();
    expect(shown).toContain("0 of 10,000"); // the portal costs no quota
    expect(shown).toContain(issued.begins_with);
    expect(shown).not.toContain(issued.api_key);
    expect(page.url()).toBe(`${server.url}/partners/`);
    expect(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")).toBe(
      0,
    );
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.getByRole("button", { name: "Clear the key" }).click();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(await page.locator("#portal").innerText()).toBe("");
    await page.reload();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    expect(log).not.toContain(issued.api_key);
  });
});

const PAGES = ["/alerts/", "/partners/"].concat(
  [
    "check-your-mail",
    "confirm",
    "confirmed",
    "expired",
    "manage",
    "paused",
    "resumed",
    "unsubscribe",
    "ended",
  ].map((name) => `/alerts/${name}/`),
);

test("pages that mailed links lead to are for nobody's index", async () => {
  for (const path of PAGES) {
    const text = await (await fetch(server.url + path)).text();
    expect(text.includes('name="robots" content="noindex"')).toBe(!["/alerts/", "/partners/"].includes(path));
  }
});

test("no address, key or token is in the server's log", () => {
  expect(log).toContain("listening");
  expect(log).not.toMatch(/reader\.example\.org|ppes_live_|whsec_|token=/);
});
