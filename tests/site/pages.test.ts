import { HtmlValidate, StaticConfigLoader } from "html-validate";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { TOOLS } from "../../src/contract/mcp/tools.ts";
import { openBrowser } from "../support/pages/browser.ts";
import { Looker, type PageLook, shiftsOnTheWay } from "../support/pages/page-look.ts";
import { htmlFiles, PAGE_TYPES, pageFamily, pagePaths, siteOf } from "../support/pages/page-types.ts";
import { misfitsWithOtherFonts } from "../support/pages/page-widths.ts";
import { servePiecemeal } from "../support/pages/piecemeal.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { sampleOf } from "../support/trial.ts";

/** Every type of page, from the demonstration's release and the real server, in a real browser: what all of them must be. */

const AT_ONCE = 3; // pages in the browser; more do not make two cores faster
const MAX_BYTES = 60_000; // without images and fonts
const MAX_FONT_BYTES = 62_000; // all three files, which are kept for a year and are the same for all pages
const APART: ReadonlySet<string> = new Set(["image", "font"]); // kinds of what is not counted with the rest
const MAX_SCRIPT_BYTES = 15_000;
const MAX_TITLE = 65; // what search engines show of one
const BESIDE_NAME = 40; // and of a title whose name is longer, what stands beside the name
const STATUS_WORDS = 10; // that a script may add to say how it stands
const DESCRIPTION = /^.{50,160}$/su;
const CLAIMS = /verified business|\bclosed\b|\bopen now\b|\bpermanently\b|\bundefined\b|\bNaN\b|\[object/i;
/** Types that are looked at more closely: loaded narrow and without JavaScript, in dark colors and in other fonts. `npm run trial` does all. */
const CLOSELY = sampleOf(PAGE_TYPES, 0.25);
/** A connection of its own: the check of a long page keeps this process so busy that the server closes idle ones meanwhile. */
const ONCE = { headers: { connection: "close" } };
const NOT_FOUND = "not found"; // the type that is served for every address that is none

let server: DemoServer;
let browser: Browser;
let paths: ReadonlyMap<string, string>;
let looks: ReadonlyMap<string, PageLook | Error>;
let misfits: ReadonlyMap<string, readonly string[] | Error>; // where the fonts are others

const site = siteOf(inject("demoHome"));

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  paths = await pagePaths(server.url, site);
  looks = await lookAtAll();
  const closely = new Map([...paths].filter(([type]) => CLOSELY.includes(type)));
  misfits = await misfitsWithOtherFonts(browser, server.url, closely);
}, 1_800_000); // all pages: it ends only what hangs

afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** A page that cannot be looked at fails its own tests only. */
async function lookAtAll(): Promise<ReadonlyMap<string, PageLook | Error>> {
  const found = new Map<string, PageLook | Error>();
  const waiting = paths.entries();
  const takeTurns = async () => {
    const looker = await Looker.open(browser, server.url);
    for (const [type, path] of waiting) {
      const closely = CLOSELY.includes(type);
      found.set(type, await looker.lookAt({ path, closely }).catch(Error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return found;
}

function look(type: string): PageLook {
  const found = looks.get(type);
  if (found === undefined || found instanceof Error) throw found ?? new Error(`${type}: not looked at`);
  return found;
}

/** Nothing was found; else the failure says all of it. */
function expectNone(faults: readonly string[]): void {
  expect(faults, faults.join("\n")).toEqual([]);
}

/** The address that the release has for itself, as this server answers it. */
function here(address: string): string {
  return new URL(address.replace(DEMO_BASE_URL, ""), server.url).href;
}

const validator = new HtmlValidate(
  new StaticConfigLoader({
    extends: ["html-validate:recommended", "html-validate:a11y"],
    rules: {
      "long-title": "off", // a record's name is as long as it is; titles are measured below
      "autocomplete-password": "off", // a partner's key shall not be kept by the browser
      "prefer-native-element": ["error", { exclude: ["region"] }], // boxes that scroll, `pre` among them, have a name and the focus
      "form-dup-name": ["error", { shared: ["radio", "checkbox", "submit"] }], // several choices of one kind
    },
  }),
);

describe.each(PAGE_TYPES)("%s", (type) => {
  test("answers, with nothing refused, failed or asked of others", () => {
    const { status, faults } = look(type);
    expect(status).toBe(type === NOT_FOUND ? 404 : 200);
    const others = faults.filter((fault) => type !== NOT_FOUND || !fault.includes("status of 404"));
    expectNone(others);
  });

  test("is valid HTML", async () => {
    const { results } = await validator.validateString(look(type).html);
    const messages = results.flatMap(({ messages }) => messages);
    expectNone(messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message}: ${selector}`));
  });

  test("axe finds nothing", () => {
    const { violations, rulesPassed } = look(type);
    expectNone(violations);
    for (const rule of ["color-contrast", "target-size", "region"]) expect(rulesPassed).toContain(rule);
  });

  test("fits 320 pixels and 200 % text, each table in a box that scrolls, has a name and takes the focus", () => {
    expectNone(look(type).misfits);
    expectNone(look(type).facts.bareTables);
  });

  test("has a low header, one search box, even numbers and whole tables on every width", () => {
    expectNone(look(type).layoutFaults);
  });

  test("is light, and nothing moves while it comes", () => {
    const { bytes, encoding, shifts } = look(type);
    const size = [...bytes].reduce((sum, [kind, size]) => sum + (APART.has(kind) ? 0 : size), 0);
    expect(encoding === null, String(encoding)).toBe(type === NOT_FOUND); // an error page is sent as it is
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
    expect(bytes.get("font")).toBeGreaterThan(0);
    expect(bytes.get("font")).toBeLessThanOrEqual(MAX_FONT_BYTES);
    expect(bytes.get("script") ?? 0).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    expectNone(shifts);
  });

  test("has headings step by step, with one at the top", () => {
    const { levels } = look(type).facts;
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
  });

  test("has a head for search engines, feed readers and whoever shares it", async () => {
    const { title, heading, lang, canonical, meta, alternates, jsonLd } = look(type).facts;
    const beside = title.replace(heading, "");
    const longest = beside === title ? MAX_TITLE : Math.max(MAX_TITLE, heading.length + BESIDE_NAME);
    expect(title.length, title).toBeLessThanOrEqual(longest);
    expect(lang).toBe("en");
    expect(meta["description"]).toMatch(DESCRIPTION);
    expect(meta["theme-color"]).toMatch(/^#[0-9a-f]{6}$/i);
    for (const text of jsonLd) expect(JSON.parse(text)).toHaveProperty("@context");
    for (const { href, type } of alternates) {
      const answer = await headed(href);
      expect([href, answer.status]).toEqual([href, 200]);
      // Browsers show a feed that is served as plain XML; one served as RSS or Atom they save to a file.
      const served = type.replace(/^application\/(rss|atom)\+xml$/, "text/xml");
      expect(answer.headers.get("content-type")).toContain(served);
    }
    const isFindable = canonical !== null;
    expect(meta["robots"] ?? "").toBe(isFindable ? "" : "noindex");
    if (isFindable) await expectPreview(type);
  });

  test("makes no claim, marks what is made up, and says of times whose they are", () => {
    const { text, undated, bareTimes, marked } = look(type).facts;
    const said = text.replace(/\s+/g, " ");
    // A tool may say of itself what it never says of a business.
    expect(TOOLS.reduce((rest, { description }) => rest.replace(description, ""), said)).not.toMatch(CLAIMS);
    expect(marked).toBe(true);
    expectNone([...undated, ...bareTimes]);
  });
});

/** Read to its end: Node throws where a connection closes behind a large body that nobody reads. */
async function headed(href: string): Promise<Response> {
  const answer = await fetch(here(href), ONCE);
  await answer.arrayBuffer();
  return answer;
}

/** What is shown where the page is shared. The address is that of the page without its query. */
async function expectPreview(type: string): Promise<void> {
  const { canonical, meta } = look(type).facts;
  expect(canonical).toBe(DEMO_BASE_URL + (paths.get(type) ?? "").replace(/\?.*/, ""));
  expect(meta).toMatchObject({
    "og:title": expect.stringMatching(/./),
    "og:description": expect.stringMatching(/./),
    "og:url": canonical,
    "og:image": expect.stringMatching(`^${DEMO_BASE_URL}/`),
    "twitter:card": "summary_large_image",
  });
  const image = await headed(meta["og:image"] ?? "");
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
}

test.each(CLOSELY)("%s: says the same without JavaScript, and has no dead control", (type) => {
  const { facts, plain } = look(type);
  expect(plain?.facts.levels).toEqual(facts.levels);
  expect(plain?.facts.rows).toBe(facts.rows);
  expect(plain?.facts.words).toBeGreaterThanOrEqual(facts.words * 0.95 - STATUS_WORDS);
  expectNone(plain?.explains ? [] : (plain?.deadControls ?? []));
});

test.each(CLOSELY)(
  "%s: fits without the site's own fonts, whatever wide or narrow ones a machine has",
  (type) => {
    const found = misfits.get(type);
    if (found === undefined || found instanceof Error) throw found ?? new Error(`${type}: not measured`);
    expectNone(found);
  },
);

test.each(["home", "city", "city by industry", "record, ranked"])(
  "%s: nothing moves on a slow line",
  async (type) => {
    await using slow = await servePiecemeal(server.url);
    expectNone(await shiftsOnTheWay(browser, slow.url, paths.get(type) ?? ""));
  },
);

test("no two types of page have the same title", () => {
  const titles = PAGE_TYPES.flatMap((type) => {
    const found = looks.get(type);
    const isFiltered = paths.get(type)?.includes("?");
    return found === undefined || found instanceof Error || isFiltered ? [] : [found.facts.title];
  });
  expect(titles).toEqual([...new Set(titles)]);
});

test("every HTML file of the release is of a type that is looked at, and every type has a file", () => {
  const looked = [...paths].map(([type, path]) => (type === NOT_FOUND ? "/404.html" : pageFamily(path)));
  const published = htmlFiles(site).map(pageFamily);
  expect([...new Set(published)].sort()).toEqual([...new Set(looked)].sort());
});
