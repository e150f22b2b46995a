import lighthouse, { type Result } from "lighthouse";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { freePort } from "../../src/kernel/port.ts";
import { openBrowser } from "../support/pages/browser.ts";
import { pagePaths, siteOf } from "../support/pages/page-types.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { isTrial, sampleOf } from "../support/trial.ts";

/**
 * Lighthouse's own judgement: mobile preset, slow network and processor simulated from what it traced, the median of three; where two
 * reach everything, the third cannot change it.
 * The pages come over plain http from loopback, which Lighthouse takes for as safe as https, as browsers do; so what it says of
 * https is true of a deployment with https only.
 */

const RUNS = 3;
const MAJORITY = isTrial ? 2 : 1; // a page that reaches everything once can
/** Lighthouse itself advises to run again when the trace has lost the page's beginning, which a busy machine makes happen. */
const LOST_TRACE = "NO_NAVSTART";
const MAX_LOST = 2;
const PAGES = sampleOf(["home", "city", "record, ranked"], 0.3);
/**
 * 100 is what the pages reach; a busy machine takes points of the performance, and of nothing else, so npm run trial judges that. What
 * makes a page slow whatever the machine, its bytes and what moves, has bounds of its own in pages.test.ts.
 */
const AT_LEAST: Readonly<Record<string, number>> = {
  ...(isTrial && { performance: 95 }),
  ...{ accessibility: 100, "best-practices": 100, seo: 100 },
};

let server: DemoServer;
let browser: Browser;
let port: number;
let paths: ReadonlyMap<string, string>;

beforeAll(async () => {
  port = await freePort();
  [server, browser] = await Promise.all([
    serveHome(inject("demoHome")),
    openBrowser(`--remote-debugging-port=${port}`),
  ]);
  paths = await pagePaths(server.url, siteOf(inject("demoHome")));
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function judge(path: string, tries = MAX_LOST): Promise<Result> {
  const categories = { onlyCategories: Object.keys(AT_LEAST) };
  const judged = await lighthouse(server.url + path, { port, logLevel: "silent", ...categories });
  if (judged === undefined) throw new Error(`${path}: Lighthouse gave no result`);
  const { runtimeError } = judged.lhr;
  if (runtimeError === undefined) return judged.lhr;
  if (runtimeError.code === LOST_TRACE && tries > 0) return judge(path, tries - 1);
  throw new Error(`${path}: ${runtimeError.message}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const score = (result: Result, category: string) =>
  Math.round((result.categories[category]?.score ?? 0) * 100);

const reachesAll = (result: Result) =>
  Object.entries(AT_LEAST).every(([category, least]) => score(result, category) >= least);

/** The audits that cost points, with what they found. */
function lost({ audits, categories }: Result): string {
  const counted = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ weight }) => weight > 0),
  );
  const failed = counted.flatMap(({ id }) => audits[id] ?? []).filter((audit) => (audit.score ?? 1) < 1);
  return failed.map(({ id, score, displayValue = "" }) => `${id} ${score} ${displayValue}`).join("\n");
}

test.each(PAGES)("%s", async (type) => {
  const results: Result[] = [];
  const isDecided = () => results.filter(reachesAll).length === MAJORITY;
  while (results.length < RUNS && !isDecided()) results.push(await judge(paths.get(type) ?? ""));
  for (const [category, least] of Object.entries(AT_LEAST)) {
    const reached = median(results.map((result) => score(result, category)));
    process.stdout.write(`lighthouse, ${type}: ${category} ${reached}\n`);
    expect
      .soft(reached, `${category}, points lost:\n${results.map(lost).join("\n\n")}`)
      .toBeGreaterThanOrEqual(least);
  }
});
