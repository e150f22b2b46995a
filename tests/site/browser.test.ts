import { createServer } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CityIndexResponse, CityList } from "../../src/contract/cities/city.ts";
import { CoverageStatusResponse, TIER_WORDS } from "../../src/contract/cities/coverage.ts";
import { EntityResponse } from "../../src/contract/records/entity.ts";
import { EvidencePacket } from "../../src/contract/records/evidence.ts";
import { portOf } from "../../src/kernel/port.ts";
import { areasChecked, FRESHNESS_WORDS } from "../../src/render/words/coverage.ts";
import { cityDay } from "../../src/render/words/format.ts";
import { openBrowser, tableTexts, WatchedPage } from "../support/pages/browser.ts";
import { JAPANESE, MARKUP, pagePaths, siteOf } from "../support/pages/page-types.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** What single pages show, in a real browser from the real server. What every page must be is in pages.test.ts. */

const SHOWN = 10; // records on a city's page
const NARROW = { width: 320, height: 640 };

const Download = z.looseObject({ contentUrl: z.string(), encodingFormat: z.string() });
const Dataset = z.looseObject({
  "@type": z.literal("Dataset"),
  name: z.string(),
  url: z.string(),
  distribution: z.array(Download).min(2),
  subjectOf: z.looseObject({ url: z.string(), encodingFormat: z.string() }),
});

let server: DemoServer;
let browser: Browser;
let cities: CityList;
let index: CityIndexResponse; // of the city with most records
let paths: ReadonlyMap<string, string>; // a page of each type

async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(await (await fetch(server.url + path)).json());
}

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  cities = await read(CityList, "/api/v1/cities");
  const indexes = await Promise.all(
    cities.map(({ slug }) => read(CityIndexResponse, `/api/v1/city/${slug}/index?limit=${SHOWN}`)),
  );
  const [largest] = indexes.sort((a, b) => b.total_count - a.total_count);
  if (largest === undefined) throw new Error("the demonstration has no city");
  index = largest;
  paths = await pagePaths(server.url, siteOf(inject("demoHome")));
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const open = (options: Parameters<typeof WatchedPage.open>[2] = {}) =>
  WatchedPage.open(browser, server.url, options);

describe("what the pages show is what the data says", () => {
  test("home lists every city with its coverage", async () => {
    await using watched = await open();
    await watched.page.goto("/");
    const rows = await tableTexts(watched.page, "Cities");
    const shown = rows.map(([city = "", tier = "", areas, ...rest]) => {
      return [city.split("\n")[0], tier.split("\n")[0], areas, ...rest];
    });
    const listed = await Promise.all(
      cities.map(async ({ slug, name, coverage: { level, tier, freshness } }) => {
        const { coverage } = await read(CoverageStatusResponse, `/api/v1/coverage-status/${slug}`);
        return [name, TIER_WORDS[tier], areasChecked(coverage.metrics), level, FRESHNESS_WORDS[freshness]];
      }),
    );
    expect(shown).toEqual(listed.sort(([a = ""], [b = ""]) => a.localeCompare(b, "en")));
    expect(shown.length).toBeGreaterThanOrEqual(3);
  });

  test("a city shows its ranking in the order and with the numbers of the index", async () => {
    await using watched = await open();
    await watched.page.goto(`/city/${index.city.slug}/`);
    const rows = await tableTexts(watched.page, "Records of the city");
    const shown = rows.map(([rank, name = "", ...numbers]) => [rank, name.split("\n")[0], ...numbers]);
    const ranked = index.rankings.map((record) => [
      record.rank === null ? "–" : String(record.rank),
      record.name,
      record.pps === null ? "–" : record.pps.toFixed(2),
      record.pps_without_any_one_observer?.toFixed(2) ?? "–",
      String(record.independent_observer_count),
      String(record.independent_observation_count),
      cityDay(record.last_observed_on),
    ]);
    expect(shown).toEqual(ranked);
  });

  test.each(["record, ranked", "record without score"])("%s: score, gate and observations", async (kind) => {
    const path = paths.get(kind) ?? "";
    const api = `/api/v1/entity/${path.split("/")[2]}`;
    const { presence_score: score, stats } = await read(EntityResponse, api);
    const { observations } = await read(EvidencePacket, `${api}/evidence`);
    await using watched = await open();
    const { page } = watched;
    await page.goto(path);
    const figure = async (term: string) => {
      const box = page.locator(".figures > div").filter({ has: page.getByText(term, { exact: true }) });
      const [value = "", under = ""] = (await box.locator("dd").innerText()).split("\n");
      return { value, under };
    };
    const text = await page.locator("main").innerText();
    if (score.pps === null) expect(text).toMatch(/Not ranked( yet: needs| while under review|: dissolved)/);
    else {
      expect((await figure("Physical Presence Score")).value).toBe(`${score.pps.toFixed(2)} of 100`);
      const rank = await figure("Rank");
      expect(rank.value).toBe(`${score.pbi_rank} of ${score.pbi_cohort_size}`);
      expect(rank.under).toContain(score.cohort_percentile?.toFixed(2));
    }
    await page.getByText("Requirements and computation").click();
    const more = await page.locator("main").innerText();
    expect(more).toContain(`Raw score: ${score.provisional_pps.toFixed(2)}`);
    if (score.pps !== null) {
      expect(more).toContain(
        `Score without its strongest observer: ${score.pps_without_any_one_observer?.toFixed(2)}, the lowest`,
      );
      expect(more).toContain(
        score.gate_holds_without_any_one_observer ? "would keep its rank" : "would have no rank",
      );
    }
    const gate = score.ranking_gate;
    const requirements = [gate.independent_observers, gate.countable_observations, gate.observation_days];
    const shown = await page.locator(".requirements > li").allInnerTexts();
    requirements.forEach(({ current, required, met }, at) => {
      expect(shown[at]).toContain(current > required ? `(${required} needed)` : `${current} of ${required}`);
      expect(shown[at]).toContain(met ? ": met" : ": not yet met");
    });
    const rows = await tableTexts(page, "Latest observations");
    expect(rows.length).toBe(Math.min(3, observations.total_rows));
    expect(rows.map(([, state, , , row]) => [row?.split(" ")[0], state?.split(",")[0]])).toEqual(
      observations.recent.slice(0, rows.length).map(({ id, verif_state }) => [String(id), verif_state]),
    );
    expect(observations.total_public).toBe(stats.observation_count);
  });

  test("a synthetic record says that it is", async () => {
    await using watched = await open();
    await watched.page.goto(paths.get("record, ranked") ?? "");
    expect(await watched.page.locator(".states").innerText()).toContain("made up for the demonstration");
  });

  test("a record says what its observations mean, what they prove and what they do not", async () => {
    await using watched = await open();
    const path = paths.get("record, ranked") ?? "";
    const packet = await read(EvidencePacket, `/api/v1/entity/${path.split("/")[2]}/evidence`);
    await watched.page.goto(path);
    const text = await watched.page.locator("main").innerText();
    for (const statement of [...packet.what_this_proves, ...packet.what_this_does_not_prove])
      expect(text).toContain(statement);
    const meanings = z
      .record(z.string(), z.string())
      .parse(packet.evidence_claim_boundary.positive_result.presence_kinds);
    for (const { value } of packet.observations.presence_mix) expect(text).toContain(meanings[value]);
    expect(text).toContain(packet.citations.suggested_citation);
  });
});

describe("for programs", () => {
  test("a city is described as a data set whose files answer", async () => {
    await using watched = await open();
    await watched.page.goto(`/city/${index.city.slug}/`);
    const text = await watched.page.locator('script[type="application/ld+json"]').textContent();
    const dataset = Dataset.parse(JSON.parse(text ?? ""));
    expect(dataset.url).toBe(`${DEMO_BASE_URL}/city/${index.city.slug}/`);
    expect(dataset.name).toContain(index.city.name);
    const files = [...dataset.distribution, { ...dataset.subjectOf, contentUrl: dataset.subjectOf.url }];
    for (const { contentUrl, encodingFormat } of files) {
      const answer = await fetch(contentUrl.replace(DEMO_BASE_URL, server.url));
      expect([answer.status, answer.headers.get("content-type")?.split(";")[0]]).toEqual([
        200,
        encodingFormat === "application/rss+xml" ? "text/xml" : encodingFormat, // so that people can read a feed, too
      ]);
    }
    expect(watched.faults).toEqual([]);
  });

  test("the page for agents says the same as llms.txt, and its long lines scroll by themselves", async () => {
    await using watched = await open({ viewport: NARROW });
    const { page } = watched;
    await page.goto("/agents/");
    const shown = (await page.locator("main").innerText()).replace(/\s+/g, " ");
    const guide = await (await fetch(`${server.url}/llms.txt`)).text();
    const [beforeLinks = ""] = guide.split(/^## /m);
    const points = [...beforeLinks.matchAll(/^- [^:]+: (.*)$/gm)].map(([, text = ""]) =>
      text.replaceAll("`", ""),
    );
    expect(points.length).toBeGreaterThan(15);
    for (const point of points) expect(shown).toContain(point);
    const block = page.getByRole("region", { name: "tools/call, by hand" });
    await block.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.evaluate("document.activeElement.scrollLeft")).toBeGreaterThan(0);
    expect(watched.faults).toEqual([]);
  });
});

describe("finding the way", () => {
  test("what is not there answers 404 and leads back", async () => {
    await using watched = await open();
    const { page } = watched;
    const answer = await page.goto("/record/demo_nothing/");
    expect(answer?.status()).toBe(404);
    expect(await page.locator("link[rel=canonical]").count()).toBe(0);
    await page.getByRole("link", { name: "list of cities" }).click();
    expect(new URL(page.url()).pathname).toBe("/");
    expect(watched.faults.filter((fault) => !fault.includes("404"))).toEqual([]);
  });
});

describe("for everybody", () => {
  test("a wide table scrolls by itself", async () => {
    await using watched = await open({ viewport: NARROW });
    await watched.page.goto("/methodology/");
    await watched.page.evaluate(
      `[...document.querySelectorAll("[role=region]")].find((region) => region.scrollWidth > region.clientWidth).focus()`,
    );
    await watched.page.keyboard.press("ArrowRight");
    await expect.poll(() => watched.page.evaluate("document.activeElement.scrollLeft")).toBeGreaterThan(0);
  });

  test("the keyboard skips to the content, and its focus can always be seen", async () => {
    await using watched = await open();
    const { page } = watched;
    await page.goto(`/city/${index.city.slug}/`);
    const Focus = z.object({ text: z.string(), outline: z.number(), inView: z.boolean() });
    const focus = async () => Focus.parse(await page.evaluate(FOCUS));
    await page.keyboard.press("Tab");
    expect(await focus()).toEqual({ text: "Skip to content", outline: 3, inView: true });
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.keyboard.press("Tab");
    expect((await focus()).text).toBe("Cities"); // the breadcrumb, not the navigation before the content
    await page.goto(`/city/${index.city.slug}/`);
    for (let stop = 0; stop < 12; stop += 1) {
      await page.keyboard.press("Tab");
      expect(await focus()).toMatchObject({ outline: 3, inView: true });
    }
  });

  test("a name is text, whatever it holds, and keeps to itself", async () => {
    await using watched = await open();
    const { page } = watched;
    for (const [type, name] of [
      ["record with markup in its name", MARKUP],
      ["record with a Japanese name", JAPANESE],
    ] as const) {
      await page.goto(paths.get(type) ?? "");
      const shown = page.locator("h1 > bdi");
      expect(await shown.innerText()).toBe(name);
      expect(await shown.locator("*").count()).toBe(0);
      expect(await page.title()).toContain(name);
      expect(await page.locator("blockquote bdi").innerText()).toBe(name);
    }
  });
});

const FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const inView = box.width > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
  return { text: element.textContent, outline: outlineStyle === "solid" ? parseFloat(outlineWidth) : 0, inView };
})()`;

test("a page of another origin reads parts, what has not changed, and errors", async () => {
  const other = createServer((_, response) => response.end("<!doctype html><title>Other</title>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  await using context = await browser.newContext({ baseURL: `http://127.0.0.1:${portOf(other)}` });
  const page = await context.newPage();
  await page.goto("/");
  const ask = (path: string, headers: Record<string, string> = {}) =>
    page.evaluate(
      async ({ url, headers }) => {
        const answer = await fetch(url, { headers, cache: "no-store" });
        const body = await answer.text();
        return { status: answer.status, body, headers: Object.fromEntries(answer.headers) };
      },
      { url: server.url + path, headers },
    );
  const file = "/exports/explorer.csv";
  const whole = await ask(file);
  const { etag = "", "last-modified": date = "" } = whole.headers;
  expect([whole.status, whole.headers["accept-ranges"], Date.parse(date) > 0]).toEqual([200, "bytes", true]);
  expect(await ask(file, { "If-None-Match": etag })).toMatchObject({ status: 304, body: "" });
  expect(await ask(file, { "If-Modified-Since": date })).toMatchObject({ status: 304, headers: { etag } });
  const part = await ask(file, { Range: "bytes=0-9", "If-Range": date });
  expect(part).toMatchObject({ status: 206, body: whole.body.slice(0, 10) });
  expect(part.headers["content-range"]).toMatch(/^bytes 0-9\/\d+$/);
  expect((await ask("/exports/nothing.csv")).status).toBe(404);
  const refused = await ask("/api/v1/search?nmae=a");
  expect([refused.status, JSON.parse(refused.body)]).toEqual([
    400,
    expect.objectContaining({ code: "unknown_parameter", did_you_mean: "name" }),
  ]);
  other.closeAllConnections();
  other.close();
});
