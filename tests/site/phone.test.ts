/** How the pages are laid out on windows of every width, with the keyboard and without JavaScript, in a real browser. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { PAGE_TYPES, pagePaths, siteOf } from "../support/pages/page-types.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

const WIDTHS = [320, 360, 390, 500, 768, 1280];
const PHONE = 640; // pixels, up to which rows are cards
const TWO_COLUMNS = 832; // pixels, below which headline numbers stand two by two
const MAX_HEADER = 96; // pixels, the notice of the demonstration included
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

const Layout = z.object({
  header: z.number(), // pixels
  content: z.number(), // pixels above it
  searches: z.number(),
  columns: z.array(z.number()), // of each group of headline numbers
  hidden: z.array(z.string()), // tables whose right columns are cut off without a shade
  cards: z.array(z.object({ label: z.string(), fits: z.boolean(), unlabelled: z.array(z.string()) })),
  emptyMaps: z.number(),
});

const LAYOUT = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const clear = (element) => getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
  const fits = (box) => box.scrollWidth <= box.clientWidth;
  const isShaded = (box) => /local.*scroll/.test(getComputedStyle(box).backgroundAttachment) && [...box.querySelectorAll("*")].every((part) => part.matches("a, a *, .tag") || clear(part));
  const headOf = (cell) => cell.closest("table").querySelectorAll("thead th")[cell.cellIndex].textContent.trim();
  const isNamed = (cell) => (cell.dataset.label ? cell.dataset.label === headOf(cell) : cell.querySelector("a, button"));
  return {
    header: document.querySelector(".site-header").getBoundingClientRect().height,
    content: document.querySelector("main").getBoundingClientRect().top,
    searches: all("[role=search], search, input[name=name]").length / 2,
    columns: all("main > .figures, main > .facts").map((group) => new Set([...group.children].map(({ offsetLeft }) => offsetLeft)).size),
    hidden: all(".scroll, pre.code").filter((box) => !fits(box) && !isShaded(box)).map((box) => box.ariaLabel),
    cards: all(".stack").map((box) => ({
      label: box.ariaLabel,
      fits: fits(box),
      unlabelled: [...box.querySelectorAll("td")].filter((cell) => !isNamed(cell)).map(({ innerText }) => innerText),
    })),
    emptyMaps: all("figure[data-zoom] .drawing").filter((box) => box.getBoundingClientRect().bottom - box.lastElementChild.getBoundingClientRect().bottom > 2).length,
  };
})()`;

/** What is wrong with a layout; nothing is the aim. */
function faultsOf(layout: z.infer<typeof Layout>, width: number): string[] {
  const { header, content, searches, columns, hidden, cards, emptyMaps } = layout;
  const isCard = width <= PHONE;
  return [
    Math.max(header, content) > MAX_HEADER &&
      `the header takes ${header} px, the content begins at ${content} px`,
    searches !== 1 && `${searches} search boxes`,
    width < TWO_COLUMNS && columns.some((count) => count !== 2) && `headline numbers in ${columns} columns`,
    emptyMaps > 0 && "a map ends in empty space",
    ...hidden.map((label) => `${label}: cut off without a shade`),
    ...cards.map(({ label, fits }) => isCard && !fits && `${label}: cards that scroll`),
    ...cards.flatMap(({ label, unlabelled }) =>
      unlabelled.map((text) => `${label}: not the label of its column: ${text}`),
    ),
  ].filter((fault) => fault !== false);
}

test.each(PAGE_TYPES)("%s: low header, one search box, even numbers, whole tables", async (type) => {
  await using watched = await open();
  const { page } = watched;
  await page.goto(paths.get(type) ?? "");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const faults = faultsOf(Layout.parse(await page.evaluate(LAYOUT)), width);
    expect(faults, `${width} px: ${faults}`).toEqual([]);
  }
});

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
    await page.waitForURL("**/explorer/");
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
