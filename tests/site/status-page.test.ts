import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { StatusResponse } from "../../src/contract/service/status.ts";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The page /status/ is a file; its script compares what the release promises with the reader's clock. */

let server: DemoServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** The page as that of a service that promises its next release, which a demonstration does not. */
const PROMISE =
  'id="freshness" data-next-release-due="2026-05-03T00:00:00Z" data-grace-seconds="60" data-stale-after-seconds="600"';

async function shownAt(
  time: string,
  withPromise = true,
  isHeld = false,
): Promise<{ lateness: string[]; main: string }> {
  await using watched = await WatchedPage.open(browser, server.url);
  const { page, faults } = watched;
  await page.clock.setFixedTime(new Date(time));
  if (withPromise)
    await page.route("**/status/", async (route) => {
      const body = (await (await fetch(`${server.url}/status/`)).text()).replace('id="freshness"', PROMISE);
      await route.fulfill({ status: 200, contentType: "text/html; charset=utf-8", body });
    });
  if (isHeld)
    await page.route("**/api/v1/status", async (route) => {
      const status = StatusResponse.parse(await (await fetch(`${server.url}/api/v1/status`)).json());
      await route.fulfill({ status: 200, json: { ...status, under_review: true } });
    });
  await page.goto("/status/", { waitUntil: "networkidle" });
  const lateness = await page.locator("#lateness").allInnerTexts();
  const main = await page.locator("main").innerText();
  expect(faults).toEqual([]);
  return { lateness, main };
}

test("nothing is added while the next release is on time; then it is late, then stale", async () => {
  expect((await shownAt("2026-05-03T00:01:00Z")).lateness).toEqual([]);
  expect((await shownAt("2026-05-03T00:01:01Z")).lateness).toEqual([
    "late By your clock, the next release is overdue (late since 3 May 2026, 00:01 UTC).",
  ]);
  expect((await shownAt("2026-06-03T00:00:00Z")).lateness).toEqual([
    expect.stringMatching(/^stale By your clock, the next release is days late/),
  ]);
});

test("a late release that is held is under review, by the server's word", async () => {
  expect((await shownAt("2026-05-03T00:01:01Z", true, true)).lateness).toEqual([
    expect.stringMatching(/^late, under review By your clock, the next release is overdue/),
  ]);
});

test("a demonstration is never late: it says that it stands still and promises nothing", async () => {
  const { lateness, main } = await shownAt("2036-05-03T00:00:00Z", false);
  expect(lateness).toEqual([]);
  expect(main).toMatch(/demonstration without further releases/);
  expect(main).toContain("none in a demonstration");
  expect(await (await fetch(`${server.url}/api/v1/status`)).json()).toMatchObject({
    promise: null,
    valid_until: null,
    current_status: "operational",
  });
});
