import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { tinyBasemap } from "../support/pages/tiny-basemap.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The map of a city as a reader opens it, drawn by a software GL. */

const LIBRARY = /city-map|maplibre/;
const CITY = "/city/guelph/";
const WAIT = { timeout: 60_000 };

const folder = mkdtempSync(join(tmpdir(), "presence-basemap-"));
const basemap = join(folder, "here.pmtiles");
let server: DemoServer;
let browser: Browser;

beforeAll(async () => {
  writeFileSync(basemap, tinyBasemap('<a href="https://osm.test">Mappers of the test</a>'));
  [server, browser] = await Promise.all([
    serveHome(inject("demoHome"), { env: { BASEMAP: basemap } }),
    openBrowser("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
  ]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** What driver and library say of drawing by software, and of one tile of the world at the zoom of a city. */
const isOfTheTest = (fault: string) => /GPU stall|GL Driver Message|WebGL|exceeds allowed extent/.test(fault);

test("a cell is chosen by keyboard, on the map and in the list, and leads to its records", async () => {
  await using watched = await WatchedPage.open(browser, server.url);
  const { page, faults } = watched;
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.goto(CITY);
  await expect.poll(() => page.getByRole("button", { name: "Open the map" }).isEnabled(), WAIT).toBe(true);
  expect(loaded.filter((url) => LIBRARY.test(url))).toEqual([]);
  await page.getByRole("button", { name: "Open the map" }).focus();
  await page.keyboard.press("Enter");
  const map = page.locator("figure[data-map]");
  await expect.poll(() => map.getByRole("status").innerText(), WAIT).toMatch(/^Move with the arrow keys/);
  expect(loaded.filter((url) => LIBRARY.test(url)).length).toBeGreaterThan(1); // and its worker
  expect(await map.innerText()).toContain("Mappers of the test");
  const facts = map.locator(".map-facts");
  await expect
    .poll(async () => {
      await page.keyboard.press("Enter"); // once it is drawn
      return facts.innerText();
    }, WAIT)
    .toContain("In the middle of the map");
  await map.getByRole("list", { name: "Cells" }).getByRole("button").first().focus();
  await page.keyboard.press("Enter");
  await expect
    .poll(() => facts.innerText(), WAIT)
    .toMatch(/[1-9][\d,]* sightings?, .*Last seen \d+ \w+ 20\d\d/);
  await facts.getByRole("link").first().click();
  expect(new URL(page.url()).pathname).toMatch(/^\/record\//);
  expect(faults.filter((fault) => !isOfTheTest(fault))).toEqual([]);
});

test("without WebGL the list has the same cells, and the drawing stays", async () => {
  await using plain = await openBrowser("--disable-3d-apis");
  await using watched = await WatchedPage.open(plain, server.url);
  const { page } = watched;
  await page.goto(CITY);
  await page.getByRole("button", { name: "Open the map" }).click();
  const map = page.locator("figure[data-map]");
  await expect
    .poll(() => map.getByRole("status").innerText(), WAIT)
    .toMatch(/^This browser cannot draw the map/);
  await map.getByRole("list", { name: "Cells" }).getByRole("button").first().click();
  await expect.poll(() => map.locator(".map-facts").innerText(), WAIT).toMatch(/sighting/);
  expect(await map.locator("svg.map").isVisible()).toBe(true);
});

test("the operator's map is answered in ranges", async () => {
  const answer = await fetch(`${server.url}/basemap.pmtiles`, { headers: { Range: "bytes=0-6" } });
  expect([answer.status, await answer.text()]).toEqual([206, "PMTiles"]);
});
