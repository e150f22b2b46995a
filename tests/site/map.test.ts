import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { madeBasemap } from "../support/pages/made-basemap.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The map of a city as a reader opens it, drawn by a software GL. */

const LIBRARY = /\/assets\/(city-map|maplibre)/;
const CITY = "/city/guelph/";
const WAIT = { timeout: 60_000 };
const ATTRIBUTION = '<a href="https://osm.test/copyright">Mappers of the test</a><script>alert(1)</script>';

const folder = mkdtempSync(join(tmpdir(), "presence-basemap-"));
const basemap = join(folder, "here.pmtiles");
let server: DemoServer;
let plain: DemoServer; // without a file of streets
let browser: Browser;

beforeAll(async () => {
  writeFileSync(basemap, madeBasemap({ lat: 43.545, lng: -80.255, attribution: ATTRIBUTION }));
  [server, plain, browser] = await Promise.all([
    serveHome(inject("demoHome"), { env: { BASEMAP: basemap } }),
    serveHome(inject("demoHome")),
    openBrowser("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
  ]);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), plain.stop()]);
  rmSync(folder, { recursive: true });
});

/** The software GL says so whenever the library asks what lies at a point. */
const READS_PIXELS =
  /^\[\.WebGL-0x[0-9a-f]+\]GL Driver Message \(OpenGL, Performance, GL_CLOSE_PATH_NV, High\): GPU stall due to ReadPixels/;
const faultsOf = ({ faults }: WatchedPage) => faults.filter((fault) => !READS_PIXELS.test(fault));

interface OpenedMap {
  readonly page: Page;
  readonly map: Locator; // figure
  readonly canvas: Locator;
  readonly loaded: readonly string[]; // addresses
}

/** Opened by keyboard. The library's own movements are left out, so that each key has moved the map at once. */
async function openMap({ page }: WatchedPage): Promise<OpenedMap> {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(CITY);
  const button = page.getByRole("button", { name: "Open the map" });
  await expect.poll(() => button.isEnabled(), WAIT).toBe(true);
  expect(loaded.filter((url) => LIBRARY.test(url))).toEqual([]);
  await button.focus();
  await page.keyboard.press("Enter");
  const map = page.locator("figure[data-map]");
  await expect.poll(() => map.getByRole("status").innerText(), WAIT).toMatch(/^Move with the arrow keys/);
  return { page, map, canvas: map.locator("canvas"), loaded };
}

const SEEN = /[1-9][\d,]* sightings?, .*Last seen \d+ \w+ 20\d\d/;

test("an area is chosen by keyboard on the map, says what the list says of it, and leads to its records", async () => {
  await using watched = await WatchedPage.open(browser, server.url);
  const { page, map, loaded } = await openMap(watched);
  expect(loaded.filter((url) => LIBRARY.test(url)).length).toBeGreaterThan(1); // and its worker
  const status = map.getByRole("status");
  const facts = map.locator(".map-facts");
  expect(await page.evaluate("document.activeElement.tagName")).toBe("CANVAS");
  await expect
    .poll(async () => {
      await page.keyboard.press("Enter"); // once it is drawn
      return facts.innerText();
    }, WAIT)
    .toMatch(SEEN);
  const onTheMap = await facts.innerText();
  const current = map.getByRole("list", { name: "Areas" }).locator("[aria-current]");
  const chosen = await current.innerText();
  expect(onTheMap.split("\n")[0]).toBe(chosen.split("\n")[0]);

  await page.keyboard.press("ArrowRight"); // 100 pixels: some areas further
  await expect.poll(() => status.innerText(), WAIT).not.toMatch(/^Move with/);
  const there = await status.innerText();
  expect(there).toMatch(/^(About [\d.]+ km [a-z-]+ of the middle|In the middle of the map): /);
  expect(there.split(":")[0]).not.toBe(chosen.split("\n")[0]);
  await page.keyboard.press("Enter");
  await expect.poll(() => facts.innerText(), WAIT).toContain(there.split(":")[0]);

  await page
    .locator(".map-list button", { hasText: chosen.split("\n")[0] ?? "" })
    .first()
    .focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => facts.innerText(), WAIT).toBe(onTheMap);
  const records = facts.getByRole("link");
  const [name, count] = [await records.first().innerText(), await records.count()];
  expect(count).toBeGreaterThan(0);
  await records.first().click();
  expect(new URL(page.url()).pathname).toMatch(/^\/record\//);
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(name);
  expect(faultsOf(watched)).toEqual([]);
});

test("zoomed in by key, an arrow key moves the map less far", async () => {
  await using watched = await WatchedPage.open(browser, plain.url);
  const { page, map, canvas } = await openMap(watched);
  const told = new Set([await map.getByRole("status").innerText()]);
  /** Where the middle of the map lies after these keys: something that was not said before. */
  const after = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    const text = async () => (await map.getByRole("status").innerText()).split(":")[0] ?? "";
    await expect.poll(async () => told.has(await text()), WAIT).toBe(false);
    const said = await text();
    told.add(said);
    return Number(/^About ([\d.]+) km [a-z-]+ of the middle$/.exec(said)?.[1] ?? 0);
  };
  await canvas.focus();
  const far = await after("ArrowLeft");
  const middle = await after("ArrowRight");
  expect(middle).toBeLessThan(far / 2);
  expect(await after("+", "ArrowLeft")).toBeLessThan(far * 0.75);
  expect(faultsOf(watched)).toEqual([]);
});

/** How many pixels of the map have just this color. */
async function pixelsOf({ canvas, page }: OpenedMap, color: string): Promise<number> {
  const picture = (await canvas.screenshot()).toString("base64");
  return Number(await page.evaluate(`(${COUNT_PIXELS})("${picture}", 0x${color})`));
}

const COUNT_PIXELS = `async (picture, color) => {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const drawn = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  drawn.drawImage(bitmap, 0, 0);
  const { data } = drawn.getImageData(0, 0, bitmap.width, bitmap.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] * 65536 + data[at + 1] * 256 + data[at + 2] === color) count += 1;
  return count;
}`;

const WATER = { light: "b9d7e6", dark: "23414f" };

test("the operator's streets lie below the areas: read in ranges, named, from here alone", async () => {
  await using watched = await WatchedPage.open(browser, server.url, { colorScheme: "light" });
  const answers: number[] = [];
  watched.page.on("response", (response) => {
    if (response.url() === `${server.url}/basemap.pmtiles`) answers.push(response.status());
  });
  const opened = await openMap(watched);
  await expect.poll(() => pixelsOf(opened, WATER.light), WAIT).toBeGreaterThan(100);
  expect(new Set(answers)).toEqual(new Set([206]));
  expect(answers.length).toBeGreaterThan(2); // header, metadata, tile
  const { map, page } = opened;
  const credit = map.getByRole("link", { name: "Mappers of the test" });
  expect(await credit.getAttribute("href")).toBe("https://osm.test/copyright");
  expect(await map.locator("script").count()).toBe(0);
  for (const worker of page.workers())
    expect(worker.url()).toMatch(`${server.url}/assets/maplibre-gl-worker`);
  expect(page.workers().length).toBeGreaterThan(0);
  expect(faultsOf(watched)).toEqual([]);
});

test("without streets there are outline and neighboring places, at 320 pixels in dark too, and axe finds nothing", async () => {
  await using watched = await WatchedPage.open(browser, plain.url, {
    colorScheme: "dark",
    viewport: { width: 320, height: 640 },
  });
  const opened = await openMap(watched);
  const { map, page } = opened;
  expect(await map.innerText()).toMatch(/Around it: Kitchener \d+ km south-west, .* Places: GeoNames/);
  await expect.poll(() => pixelsOf(opened, "aebcb9"), WAIT).toBeGreaterThan(100); // of the outline
  expect(await pixelsOf(opened, WATER.dark)).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const { violations } = await new AxeBuilder({ page }).include("figure[data-map]").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  expect(faultsOf(watched)).toEqual([]);
});

test("pages without such a map load nothing of its library, and no page loads it before it is opened", () => {
  const site = join(homePaths(inject("demoHome")).current, "site");
  const pages = filesBelow(site).filter((file) => file.endsWith(".html"));
  const naming = (name: RegExp) => pages.filter((file) => name.test(readFileSync(file, "utf8")));
  expect(naming(LIBRARY)).toEqual([]);
  const opening = naming(/\/assets\/open-map\./).map((file) => relative(site, file).split(sep)[0]);
  expect([...new Set(opening)]).toEqual(["city"]);
  expect(opening.length).toBeLessThan(pages.length / 4);
  const assets = join(site, "assets");
  const importing = readdirSync(assets).filter(
    (name) => name.endsWith(".js") && readFileSync(join(assets, name), "utf8").includes("city-map."),
  );
  expect(importing).toEqual([expect.stringMatching(/^open-map\./)]);
  const [opener = ""] = importing;
  expect(readFileSync(join(assets, opener), "utf8")).not.toMatch(/from\s*"[^"]*city-map/);
});

test("without JavaScript the drawing and its table are there, and no button that does nothing", async () => {
  await using watched = await WatchedPage.open(browser, server.url, { javaScriptEnabled: false });
  const { page, faults } = watched;
  await page.goto(CITY);
  const map = page.locator("figure[data-map]");
  expect(await map.locator("svg.map").isVisible()).toBe(true);
  expect(await page.getByRole("button", { name: "Open the map" }).isVisible()).toBe(false);
  expect(await map.locator("details").count()).toBe(1);
  expect(faults).toEqual([]);
});

test("without WebGL the list has the same cells, and the drawing stays", async () => {
  await using weak = await openBrowser("--disable-3d-apis");
  await using watched = await WatchedPage.open(weak, server.url);
  const { page } = watched;
  await page.goto(CITY);
  await page.getByRole("button", { name: "Open the map" }).click();
  const map = page.locator("figure[data-map]");
  await expect
    .poll(() => map.getByRole("status").innerText(), WAIT)
    .toMatch(/^This browser cannot draw the map/);
  await map.getByRole("list", { name: "Areas" }).getByRole("button").first().click();
  await expect.poll(() => map.locator(".map-facts").innerText(), WAIT).toMatch(/sighting/);
  expect(await map.locator("svg.map").isVisible()).toBe(true);
});

test("the operator's map is answered in ranges, and where there is none by an empty answer", async () => {
  const ask = (url: string) => fetch(`${url}/basemap.pmtiles`, { headers: { Range: "bytes=0-6" } });
  const answer = await ask(server.url);
  expect([answer.status, await answer.text()]).toEqual([206, "PMTiles"]);
  expect(answer.headers.get("cache-control")).toMatch(/^public, max-age=\d+/);
  expect((await ask(plain.url)).status).toBe(204);
});
