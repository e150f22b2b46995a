/**
 * What does not fit its window where the site's own fonts did not come and the machine has others. Which those are is decided
 * here, from a package, so that no test depends on the machine: one family wider than any that is likely, and one much narrower.
 */

import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { z } from "zod";
import { MISFITS, OPEN_DETAILS } from "./page-scripts.ts";

const AT_ONCE = 3; // pages of the browser
const NARROW = { width: 320, height: 640 };
const HALF = { width: 640, height: 800 };
const USUAL_TEXT = { standard: 16, fixed: 13 }; // pixels, as a browser begins with
const DOUBLE_TEXT = { standard: 32, fixed: 26 };

/** Verdana's widths and an eighth more; a monospaced font whose letters are as wide as three quarters of their height. */
const WIDE = {
  text: "DejaVuSans",
  bold: "DejaVuSans-Bold",
  code: "DejaVuSansMono",
  scale: "112%",
  codeScale: "125%",
};
const SLIM = {
  text: "DejaVuSerifCondensed",
  bold: "DejaVuSerifCondensed-Bold",
  code: "DejaVuSansMono",
  scale: "85%",
  codeScale: "80%",
};
const FAMILIES = { wide: WIDE, slim: SLIM };

const BELOW = "/fonts-of-tests/";
const { resolve } = createRequire(import.meta.url);

const face = (family: string, file: string, scale: string, weight: string) =>
  `@font-face { font-family: "${family}"; src: url("${BELOW}${file}.ttf"); size-adjust: ${scale}; font-weight: ${weight} }`;

const STYLE = Object.entries(FAMILIES)
  .map(
    ([name, { text, bold, code, scale, codeScale }]) => `${face(`${name} text`, text, scale, "100 550")}
${face(`${name} text`, bold, scale, "551 900")}
${face(`${name} code`, code, codeScale, "100 900")}
html:root[data-fonts="${name}"] { --sans: "${name} text"; --mono: "${name} code" }`,
  )
  .join("\n");

/** The page in another family, once that has come; says how many of its faces are there, which are three. */
const inFamily = (name: string) => `(async () => {
  document.documentElement.dataset.fonts = "${name}";
  const faces = [...document.fonts].filter(({ family }) => family.replaceAll('"', "").startsWith("${name} "));
  await Promise.all(faces.map((face) => face.load()));
  await document.fonts.ready;
  return faces.filter(({ status }) => status === "loaded").length;
})()`;

/** What does not fit, by the type of the page; an error stands for a page that could not be measured. */
export async function misfitsWithOtherFonts(
  browser: Browser,
  baseURL: string,
  paths: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, readonly string[] | Error>> {
  const context = await browser.newContext({ baseURL, bypassCSP: true, viewport: NARROW });
  await blockFonts(context);
  const found = new Map<string, readonly string[] | Error>();
  const waiting = paths.entries();
  const takeTurns = async () => {
    const page = await context.newPage();
    for (const [type, path] of waiting) found.set(type, await measure(page, path).catch(Error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  await context.close();
  return found;
}

async function blockFonts(context: BrowserContext): Promise<void> {
  await context.route("**/*.woff2", (route) => route.abort());
  await context.route(`**${BELOW}*`, (route) => {
    const file = new URL(route.request().url()).pathname.slice(BELOW.length);
    return route.fulfill({ path: resolve(`dejavu-fonts-ttf/ttf/${file}`), contentType: "font/ttf" });
  });
}

async function measure(page: Page, path: string): Promise<readonly string[]> {
  const devtools = await page.context().newCDPSession(page);
  await page.goto(path);
  await page.addStyleTag({ content: STYLE });
  await page.evaluate(OPEN_DETAILS);
  const faults: string[] = [];
  for (const [viewport, fontSizes, look] of [
    [NARROW, USUAL_TEXT, "320 px"],
    [HALF, DOUBLE_TEXT, "200 % text, 640 px"],
  ] as const) {
    await page.setViewportSize(viewport);
    await devtools.send("Page.setFontSizes", { fontSizes });
    for (const name of Object.keys(FAMILIES)) {
      const faces = await page.evaluate(inFamily(name));
      if (faces !== 3) throw new Error(`${path}: ${faces} of the three faces of the ${name} family came`);
      const misfits = z.array(z.string()).parse(await page.evaluate(MISFITS));
      faults.push(...misfits.map((fault) => `${name} fonts, ${look}: ${fault}`));
    }
  }
  await devtools.detach();
  return faults;
}
