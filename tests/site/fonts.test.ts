import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { z } from "zod";
import { openBrowser, WatchedPage } from "../support/pages/browser.ts";
import { pagePaths, siteOf } from "../support/pages/page-types.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The fonts that a release carries: which of them a page loads, how they are served, and what stands in for them. */

const TEXT = "public-sans-latin-wght-normal";
const MORE_TEXT = "public-sans-latin-ext-wght-normal";
const CODE = "ibm-plex-mono-latin-400-normal";
const HASHED = /^(.+)\.[\w-]{8}\.woff2$/;
const Manifest = z.object({ files: z.record(z.string(), z.string()) });

const site = siteOf(inject("demoHome"));
let server: DemoServer;
let browser: Browser;
let paths: ReadonlyMap<string, string>;

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  paths = await pagePaths(server.url, site);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const open = (options: Parameters<typeof WatchedPage.open>[2] = {}) =>
  WatchedPage.open(browser, server.url, options);

/** Names of the font files that opening a page loads, without their hashes. */
async function fontsOf(path: string): Promise<string[]> {
  await using watched = await open();
  const { page, faults } = watched;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "font") asked.push(request.url());
  });
  await page.goto(path);
  await page.waitForLoadState("networkidle");
  expect(faults).toEqual([]);
  return asked.map((url) => HASHED.exec(url.split("/").at(-1) ?? "")?.[1] ?? url).sort();
}

test.each([
  ["home", [TEXT]],
  ["methodology", [CODE, TEXT]],
  ["record with a Japanese name", [CODE, TEXT]],
] as const)("%s loads what it shows, each font once", async (type, fonts) => {
  expect(await fontsOf(paths.get(type) ?? "")).toEqual(fonts);
});

test("a page with letters beyond Latin-1 loads their font, too", async () => {
  expect(await (await fetch(`${server.url}/search/?name=whariki`)).text()).toContain("Whāriki");
  expect(await fontsOf("/search/?name=whariki")).toEqual(expect.arrayContaining([MORE_TEXT, TEXT]));
});

test("font files are listed in the manifest, and caches keep them", async () => {
  const { files } = Manifest.parse(JSON.parse(readFileSync(join(site, "manifest.json"), "utf8")));
  const fonts = Object.keys(files).filter((path) => path.endsWith(".woff2"));
  expect(fonts.map((path) => HASHED.exec(path)?.[1]).sort()).toEqual(
    [CODE, MORE_TEXT, TEXT].map((name) => `assets/${name}`).sort(),
  );
  for (const path of fonts) {
    const { status, headers } = await fetch(`${server.url}/${path}`);
    expect([status, headers.get("content-type")]).toEqual([200, "font/woff2"]);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  }
});

test("the licences of the fonts are files of the release, and the page of licences leads to them", async () => {
  const text = readFileSync(join(site, "licence/fonts.txt"), "utf8");
  expect(text.match(/SIL OPEN FONT LICENSE Version 1\.1/g)).toHaveLength(2);
  expect(text).toContain("The Public Sans Project Authors");
  expect(text).toContain("IBM Corp.");
  expect(readFileSync(join(site, "licence/index.html"), "utf8")).toContain('href="/licence/fonts.txt"');
});

test("the license of the program that draws maps is a file of the release, too", () => {
  const text = readFileSync(join(site, "licence/programs.txt"), "utf8");
  expect(text).toContain("MapLibre contributors");
  expect(readFileSync(join(site, "licence/index.html"), "utf8")).toContain('href="/licence/programs.txt"');
});

/**
 * Lays out a text in a font of the site and in a fallback of its style sheet, and gives width and height of both in pixels. The
 * fallback's source is replaced by that font from its package, so that it does not matter whether the machine has it.
 */
async function sizes(page: Page, family: string, fallback: string, url: string) {
  const Size = z.object({ width: z.number(), height: z.number() });
  return z.object({ own: Size, other: Size }).parse(
    await page.evaluate(`(async () => {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule instanceof CSSFontFaceRule);
  const { style } = rules.find(({ style }) => style.getPropertyValue("font-family").includes("${fallback}"));
  const sheet = new CSSStyleSheet();
  const metrics = ["size-adjust", "ascent-override", "descent-override", "line-gap-override"];
  const descriptors = metrics.map((name) => name + ": " + style.getPropertyValue(name)).join("; ");
  sheet.replaceSync('@font-face { font-family: "stand-in"; src: url("${url}"); ' + descriptors + " }");
  document.adoptedStyleSheets = [sheet];
  const box = document.createElement("p");
  box.textContent = "Storefronts, billboards, signs and vehicle wraps, seen by independent observers on 2026-05-20.";
  box.style.cssText = "position: absolute; white-space: nowrap; line-height: normal; max-width: none; font-size: 40px";
  document.body.append(box);
  const measured = async (name) => {
    box.style.fontFamily = '"' + name + '"';
    await document.fonts.load('40px "' + name + '"');
    await document.fonts.ready;
    const { width, height } = box.getBoundingClientRect();
    return { width, height };
  };
  return { own: await measured("${family}"), other: await measured("stand-in") };
})()`),
  );
}

test.each([
  ["Public Sans", "Sans as Verdana", "DejaVuSans", 0.03],
  ["IBM Plex Mono", "Mono as Menlo", "DejaVuSansMono", 0.001],
] as const)(
  "%s: what stands in for it is as high, and nearly as wide",
  async (family, fallback, file, tolerance) => {
    await using watched = await open({ bypassCSP: true });
    const { page } = watched;
    const { resolve } = createRequire(import.meta.url);
    await page.route("**/stand-in.ttf", (route) =>
      route.fulfill({ path: resolve(`dejavu-fonts-ttf/ttf/${file}.ttf`), contentType: "font/ttf" }),
    );
    await page.goto(paths.get("methodology") ?? "");
    const { own, other } = await sizes(page, family, fallback, "/stand-in.ttf");
    expect(Math.abs(other.height - own.height)).toBeLessThanOrEqual(1);
    expect(Math.abs(other.width / own.width - 1)).toBeLessThanOrEqual(tolerance);
  },
);
