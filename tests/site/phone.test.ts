/** Cards and menu of a phone, with the keyboard and without JavaScript, in a real browser. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { CityIndexResponse } from "../../src/contract/cities/city.ts";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { pagePaths, siteOf } from "../support/pages/page-types.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

const HEIGHT = 800;

let server: DemoServer;
let browser: Browser;
let paths: ReadonlyMap<string, string>;

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  paths = await pagePaths(server.url, siteOf(inject("demoHome")));
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const open = (options: Parameters<typeof WatchedPage.open>[2] = {}) =>
  WatchedPage.open(browser, server.url, options);

test("the records of a city are cards on a phone, with every number of the row", async () => {
  await using watched = await open({ viewport: { width: 360, height: HEIGHT } });
  const { page } = watched;
  await page.goto(paths.get("city") ?? "");
  const row = page.getByRole("region", { name: "Records of the city" }).locator("tbody tr").first();
  const cells = await row.locator("td").all();
  expect(cells).toHaveLength(6);
  for (const cell of cells) {
    const box = await cell.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(360);
  }
});

test("the page of a record with many rows stays short", async () => {
  await using watched = await open({ viewport: { width: 390, height: HEIGHT } });
  const { page } = watched;
  const index = `/api/v1${paths.get("city")}index?sort=observations&limit=1`;
  const [most] = CityIndexResponse.parse(await (await fetch(server.url + index)).json()).rankings;
  expect((most?.counting_observation_count ?? 0) + (most?.set_aside_count ?? 0)).toBeGreaterThan(150);
  await page.goto(`/record/${most?.public_id}/`);
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(6000);
});

describe("the menu", () => {
  const phone = { viewport: { width: 390, height: HEIGHT }, javaScriptEnabled: false };

  test("opens and leads on by keyboard, without JavaScript, and marks the page", async () => {
    await using watched = await open(phone);
    const { page } = watched;
    await page.goto("/coverage/");
    const menu = page.getByRole("navigation", { name: "Main" });
    expect(await menu.isVisible()).toBe(false);
    const focused = page.locator(":focus");
    const stops = ["Skip to content", "Physical Presence Evidence", "Search", "Menu"];
    for (const stop of stops) {
      await page.keyboard.press("Tab");
      expect((await focused.innerText()).replace(/\s+/g, " ").trim()).toBe(stop);
    }
    await page.keyboard.press("Enter");
    expect(await menu.isVisible()).toBe(true);
    expect(await menu.locator("[aria-current=page]").innerText()).toBe("Coverage");
    await page.keyboard.press("Tab");
    expect(await focused.innerText()).toBe("Cities");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search/#search-position");
  });

  test("makes room for the search box, which finds without JavaScript", async () => {
    await using watched = await open(phone);
    const { page } = watched;
    await page.goto("/coverage/");
    await page.locator("summary", { hasText: "Menu" }).click();
    await page.locator("summary", { hasText: "Search" }).click();
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    await page.getByRole("searchbox").fill("o");
    await page.getByRole("searchbox").press("Enter");
    await page.waitForURL("**/search/?name=o");
  });

  test("is a row of links where there is room, with nothing to open", async () => {
    await using watched = await open({ viewport: { width: 1280, height: HEIGHT }, javaScriptEnabled: false });
    const { page } = watched;
    await page.goto("/coverage/");
    expect(await page.locator(".site-header summary:visible").count()).toBe(0);
    const links = await page.getByRole("navigation", { name: "Main" }).getByRole("link").all();
    expect(links).toHaveLength(9);
    const tops = new Set(await Promise.all(links.map(async (link) => (await link.boundingBox())?.y)));
    expect(tops.size).toBe(1);
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("Cities");
  });
});
