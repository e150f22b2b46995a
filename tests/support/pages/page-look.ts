/** Everything that the tests want to know of one page, found with as few loads as can be: one wide, and for some types one narrow and one without script. */

import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, CDPSession, Page, Request, Response } from "playwright-core";
import { z } from "zod";
import { WatchedPage } from "./browser.ts";
import { layoutFaults } from "./page-layout.ts";
import {
  DEAD_CONTROLS,
  EXPLAINS,
  MISFITS,
  OPEN_DETAILS,
  PAGE_FACTS,
  SCROLL_THROUGH,
  WATCH_SHIFTS,
} from "./page-scripts.ts";

const WIDE = { width: 1280, height: 800 };
const HALF = { width: 640, height: 800 };
const NARROW = { width: 320, height: 640 };
const USUAL_TEXT = { standard: 16, fixed: 13 }; // pixels, as a browser begins with
const DOUBLE_TEXT = { standard: 32, fixed: 26 };

/** All of WCAG 2.2 A and AA, and axe's own advice. Named here, since by itself axe leaves rules of 2.2 out. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What depends on the width of the window: colours where things overlap, boxes that scroll, sizes of what is tapped. */
const OF_WIDTH = ["cat.color", "cat.keyboard", "wcag22aa"];

/** Rows of a table and sections of a reference are alike: axe looks at the first of them, which takes a tenth of the time. */
const LATER_ONES = "tbody > tr:nth-child(n + 9), main > section:nth-of-type(n + 16)";

const NOT_ASKED = { violations: [], passes: [] };

const Texts = z.array(z.string());
const Facts = z.object({
  title: z.string(),
  heading: z.string(),
  lang: z.string(),
  canonical: z.string().nullable(),
  meta: z.record(z.string(), z.string()),
  alternates: z.array(z.object({ href: z.string(), type: z.string() })),
  jsonLd: Texts,
  levels: z.array(z.number()),
  undated: Texts,
  bareTimes: Texts,
  bareTables: Texts,
  text: z.string(),
  rows: z.number(),
  words: z.number(),
  marked: z.boolean(),
});

export interface PageLook {
  readonly status: number;
  readonly html: string; // as it was served
  readonly facts: z.infer<typeof Facts>;
  /** Console errors, refused content, failed and foreign requests, of all loads. */
  readonly faults: readonly string[];
  /** Bytes of the bodies as they came over the wire, by the type of what they are. */
  readonly bytes: ReadonlyMap<string, number>;
  readonly encoding: string | null; // of the page itself
  readonly shifts: readonly string[];
  readonly violations: readonly string[];
  readonly misfits: readonly string[];
  readonly layoutFaults: readonly string[];
  readonly rulesPassed: ReadonlySet<string>; // so that a rule which never ran is no success
  /** The same without JavaScript, where it was looked at closely. */
  readonly plain: Awaited<ReturnType<typeof lookPlain>> | undefined;
}

/** A window for many pages, one after the other: nothing is cached, so that each load is a first one. */
class Window {
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly #faults: string[];

  private constructor({ page, faults }: WatchedPage, devtools: CDPSession) {
    [this.page, this.#faults, this.devtools] = [page, faults, devtools];
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions): Promise<Window> {
    const watched = await WatchedPage.open(browser, url, options);
    const devtools = await watched.page.context().newCDPSession(watched.page);
    await devtools.send("Network.enable");
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    if (options.javaScriptEnabled !== false) await watched.page.addInitScript(WATCH_SHIFTS);
    return new Window(watched, devtools);
  }

  /** What went wrong since it was last asked. */
  faults(): string[] {
    return this.#faults.splice(0);
  }
}

interface Looked {
  readonly path: string;
  /** Also loaded on a narrow window and without JavaScript, and looked at there and in dark colors by axe. */
  readonly closely: boolean;
}

/** Looks at one page after the other, in windows of its own. */
export class Looker {
  readonly #wide: Window;
  readonly #narrow: Window;
  readonly #plain: Window;

  private constructor([wide, narrow, plain]: readonly [Window, Window, Window]) {
    [this.#wide, this.#narrow, this.#plain] = [wide, narrow, plain];
  }

  static async open(browser: Browser, url: string): Promise<Looker> {
    return new Looker(
      await Promise.all([
        Window.open(browser, url, { viewport: WIDE }),
        Window.open(browser, url, { viewport: NARROW }),
        Window.open(browser, url, { viewport: WIDE, javaScriptEnabled: false }),
      ]),
    );
  }

  async lookAt({ path, closely }: Looked): Promise<PageLook> {
    const wide = await lookWide(this.#wide, { path, closely });
    if (!closely) return wide;
    const narrow = await lookNarrow(this.#narrow, path);
    const plain = await lookPlain(this.#plain, path);
    return {
      ...wide,
      plain,
      faults: [...wide.faults, ...narrow.faults, ...plain.faults],
      shifts: [...wide.shifts, ...narrow.shifts],
      violations: [...wide.violations, ...narrow.violations],
    };
  }
}

async function lookWide(window: Window, { path, closely }: Looked): Promise<PageLook> {
  const { page, devtools } = window;
  const requests: Request[] = [];
  const note = (request: Request) => requests.push(request);
  page.on("requestfinished", note);
  const { answer, shifts } = await load(page, path);
  page.off("requestfinished", note);
  const sizes = await bodyBytes(requests);
  const facts = Facts.parse(await page.evaluate(PAGE_FACTS));
  const layout = await layoutFaults(page);
  await page.setViewportSize(NARROW);
  await page.evaluate(OPEN_DETAILS);
  const narrow = await misfits(page, "320 px");
  await page.setViewportSize(WIDE);
  const light = await axe(page, "light", RULES);
  const dark = closely ? await inDark(page) : NOT_ASKED;
  await devtools.send("Page.setFontSizes", { fontSizes: DOUBLE_TEXT });
  const wide = await misfits(page, "200 % text, 1280 px");
  await page.setViewportSize(HALF);
  const half = await misfits(page, "200 % text, 640 px");
  await devtools.send("Page.setFontSizes", { fontSizes: USUAL_TEXT });
  await page.setViewportSize(WIDE);
  return {
    status: answer.status(),
    html: await answer.text(),
    encoding: await answer.headerValue("content-encoding"),
    bytes: sizes,
    facts,
    faults: window.faults(),
    shifts: shifts.map((shift) => `wide: ${shift}`),
    misfits: [...narrow, ...wide, ...half],
    layoutFaults: layout,
    violations: [...light.violations, ...dark.violations],
    rulesPassed: new Set([...light.passes, ...dark.passes]),
    plain: undefined,
  };
}

/** Nothing but colours depends on the scheme. */
async function inDark(page: Page) {
  await page.emulateMedia({ colorScheme: "dark" });
  const found = await axe(page, "dark", ["cat.color"]);
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}

async function lookNarrow(window: Window, path: string) {
  const { page } = window;
  const { shifts } = await load(page, path);
  await page.evaluate(OPEN_DETAILS);
  const { violations } = await axe(page, "320 px", OF_WIDTH);
  return { faults: window.faults(), shifts: shifts.map((shift) => `320 px: ${shift}`), violations };
}

async function lookPlain(window: Window, path: string) {
  const { page } = window;
  await page.goto(path);
  return {
    facts: Facts.parse(await page.evaluate(PAGE_FACTS)),
    deadControls: Texts.parse(await page.evaluate(DEAD_CONTROLS)),
    explains: z.boolean().parse(await page.evaluate(EXPLAINS)),
    faults: window.faults(),
  };
}

/** Opens the page, goes through it once and waits until nothing more comes. */
async function load(page: Page, path: string): Promise<{ answer: Response; shifts: readonly string[] }> {
  const answer = await page.goto(path);
  if (answer === null) throw new Error(`${path}: no answer`);
  await page.evaluate(SCROLL_THROUGH);
  await page.waitForLoadState("networkidle");
  return { answer, shifts: Texts.parse(await page.evaluate("shifted")) };
}

/** What moves while the page comes, where that takes long. */
export async function shiftsOnTheWay(
  browser: Browser,
  url: string,
  path: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const viewport of [WIDE, NARROW]) {
    const { page } = await Window.open(browser, url, { viewport });
    const { shifts } = await load(page, path);
    await page.context().close();
    found.push(...shifts.map((shift) => `${viewport.width} px: ${shift}`));
  }
  return found;
}

async function bodyBytes(requests: readonly Request[]): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>();
  for (const request of requests) {
    const { responseBodySize } = await request.sizes();
    const type = request.resourceType();
    bytes.set(type, (bytes.get(type) ?? 0) + Math.max(0, responseBodySize)); // negative: it came from the cache
  }
  return bytes;
}

async function axe(page: Page, look: string, tags: string[]) {
  const builder = new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ["violations"] }) // of what passes, the rules are enough
    .withTags(tags)
    .exclude(LATER_ONES);
  const { violations, passes } = await builder.analyze();
  return {
    violations: violations.map(
      ({ id, nodes }) =>
        `${look}: ${id}, ${nodes.length} times: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
    ),
    passes: passes.map(({ id }) => id),
  };
}

async function misfits(page: Page, look: string): Promise<string[]> {
  const faults = Texts.parse(await page.evaluate(MISFITS));
  return faults.map((fault) => `${look}: ${fault}`);
}
