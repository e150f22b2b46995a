/** An analyst compares two cities and takes the figures along, by the words on the screen alone. */

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openBrowser, tableTexts, WatchedPage } from "../support/pages/browser.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

let server: DemoServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function downloaded(page: Page, name: string): Promise<Record<string, string>[]> {
  const waiting = page.waitForEvent("download");
  await page.getByRole("link", { name }).click();
  return parse(readFileSync(await (await waiting).path()), { columns: true });
}

/** Observers, density and new records of a row of the file, as the page shows them. */
function shownColumns(row: Record<string, string> | undefined): string[] {
  const density = row?.["sightings_per_area_90d"] ?? "";
  return [
    row?.["independent_scout_observers_180d"] ?? "",
    density === "" ? "no area" : Number(density).toFixed(1),
    row?.["new_records_30d"] ?? "",
  ];
}

const share = (text = "") => Number.parseFloat(text);

describe.each([
  { way: "without JavaScript", javaScriptEnabled: false },
  { way: "with JavaScript", javaScriptEnabled: true },
])("$way", ({ javaScriptEnabled }) => {
  test("from the home page to two cities in one order, their figures, and the records of one", async () => {
    await using watched = await WatchedPage.open(browser, server.url, { javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto("/");
    await page.getByRole("link", { name: "Compare the cities" }).click();
    expect(await page.locator("main").innerText()).toContain("Do not compare scores or ranks");
    await page
      .getByRole("region", { name: "Cities compared" })
      .getByRole("link", { name: "Areas checked" })
      .click();
    await expect.poll(() => page.locator("[aria-sort]").innerText(), { timeout: 20_000 }).toMatch(/^Areas/);
    const rows = await tableTexts(page, "Cities compared");
    const shares = rows.map(([, , checked]) => share(checked));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    const [first = "", second = ""] = rows.map(([name = ""]) => name.split("\n")[0]);
    expect(first).not.toBe(second);

    const figures = await downloaded(page, "Download all coverage figures as CSV");
    const ratios = [first, second].map((name) => figures.find((row) => row["name"] === name));
    expect(ratios.map((row) => 100 * Number(row?.["cell_coverage_ratio_90d"]))).toEqual(
      shares.slice(0, 2).map((shown) => expect.closeTo(shown, 0)),
    );
    expect(ratios.map(shownColumns)).toEqual(rows.slice(0, 2).map((row) => row.slice(3)));

    await page
      .getByRole("region", { name: "Cities compared" })
      .getByRole("link", { name: first, exact: true })
      .click();
    await page.waitForURL("**/city/*/"); // with its scripts, or the choice would be made before they listen
    await page.getByLabel("Order").selectOption("name");
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect.poll(() => new URL(page.url()).search, { timeout: 20_000 }).toContain("sort=name");
    const names = await page
      .getByRole("region", { name: "Records of the city" })
      .locator("tbody th bdi")
      .allInnerTexts();
    const records = await downloaded(page, "Download these records as CSV");
    const guarded = names.map((name) => (/^[=+@-]/.test(name) ? `'${name}` : name)); // no spreadsheet runs it
    expect(records.map((row) => row["name"])).toEqual(guarded);
    expect(new Set(records.map((row) => row["terms"]))).toEqual(
      new Set([expect.stringMatching(/\/terms\/$/)]),
    );
    expect(faults).toEqual([]);
  });
});

test("changes further back than those on the city's page are reached by address", async () => {
  await using watched = await WatchedPage.open(browser, server.url, { javaScriptEnabled: false });
  const { page } = watched;
  await page.goto("/city/guelph/");
  await page.getByRole("link", { name: "All changes" }).click();
  const days = async () => {
    const times = await page.locator(".events time").all();
    return Promise.all(times.map(async (time) => (await time.getAttribute("datetime")) ?? ""));
  };
  const newest = await days();
  await page.getByRole("link", { name: /^Older / }).click();
  const older = await days();
  expect(older.length).toBeGreaterThan(0);
  expect([older[0] ?? "", newest.at(-1) ?? ""].sort()).toEqual([older[0], newest.at(-1)]);
});

test("on a phone a city's page is short, and begins with records", async () => {
  await using watched = await WatchedPage.open(browser, server.url, {
    viewport: { width: 390, height: 844 },
  });
  const { page } = watched;
  await page.goto("/city/guelph/");
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(8000);
  const headings = await page.getByRole("heading", { level: 2 }).allInnerTexts();
  expect(headings.slice(0, 2)).toEqual(["Records", "Coverage"]);
});
