import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CityIndexResponse, CityList, type RankedEntity } from "../src/contract/city.ts";
import { EntityResponse } from "../src/contract/entity.ts";
import { EvidencePacket } from "../src/contract/evidence.ts";
import { TOOLS } from "../src/contract/mcp/tools.ts";
import { SearchResponse } from "../src/contract/search.ts";
import { openBrowser, tableTexts, WatchedPage } from "./support/browser.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "./support/demo-home.ts";

/** The pages of the demonstration's release in a real browser, served by the real server. */

const SHOWN = 100; // records on a city's page
const NARROW = { width: 320, height: 640 };
const LONGEST = "The Honourable Company of Lamplighters";
const MARKUP = "<b>Bold</b> Type Studio";
const JAPANESE = "信濃川べり本と珈琲の店「よみびと」";

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
let paths: Readonly<Record<string, string>>; // a page of each kind

async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(await (await fetch(server.url + path)).json());
}

async function recordNamed(name: string): Promise<string> {
  const { results } = await read(SearchResponse, `/api/v1/search?name=${encodeURIComponent(name)}`);
  return recordPath(results.find((record) => record.name.startsWith(name)));
}

function recordPath(record: { public_id: string } | undefined): string {
  return `/record/${record?.public_id}/`;
}

const withoutScore = ({ rankings }: CityIndexResponse): RankedEntity | undefined =>
  rankings.find(({ pps }) => pps === null);

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  cities = await read(CityList, "/api/v1/cities");
  const indexes = await Promise.all(
    cities.map(({ slug }) => read(CityIndexResponse, `/api/v1/city/${slug}/index?limit=${SHOWN}`)),
  );
  const [largest] = indexes.sort((a, b) => b.total_count - a.total_count);
  if (largest === undefined) throw new Error("the demonstration has no city");
  index = largest;
  paths = {
    home: "/",
    city: `/city/${index.city.slug}/`,
    "city without coverage": `/city/${cities.find(({ coverage }) => coverage.tier === "none")?.slug}/`,
    "ranked record": recordPath(index.rankings[0]),
    "record without score": recordPath(withoutScore(index)),
    "record with a long name": await recordNamed(LONGEST),
    "record with markup in its name": await recordNamed(MARKUP),
    "record with a Japanese name": await recordNamed(JAPANESE),
    methodology: "/methodology/",
    agents: "/agents/",
  };
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
    const shown = rows.map(([city = "", tier = "", level, freshness, cells]) => {
      return [city.split("\n")[0], tier.split("\n")[0], level, freshness, cells];
    });
    const listed = cities.map(({ name, coverage }) => {
      return [name, coverage.tier, coverage.level, coverage.freshness, String(coverage.observed_cells)];
    });
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
      String(record.independent_observer_count),
      String(record.independent_observation_count),
      record.last_observed?.slice(0, 10) ?? "never",
    ]);
    expect(shown).toEqual(ranked);
  });

  test("a city with more records than its page shows leads on to the next one", async () => {
    expect(index.total_count).toBeGreaterThan(SHOWN);
    await using watched = await open();
    await watched.page.goto(`/city/${index.city.slug}/`);
    const href = await watched.page
      .getByRole("link", { name: `read on from number ${SHOWN + 1}` })
      .getAttribute("href");
    const rest = await read(CityIndexResponse, href ?? "");
    expect(rest.snapshot_id).toBe(index.snapshot_id);
    expect(rest.returned_count).toBe(Math.min(SHOWN, index.total_count - SHOWN));
    const seen = new Set(index.rankings.map(({ public_id }) => public_id));
    expect(rest.rankings.filter(({ public_id }) => seen.has(public_id))).toEqual([]);
  });

  test.each(["ranked record", "record without score"])("%s: score, gate and observations", async (kind) => {
    const path = paths[kind] ?? "";
    const api = `/api/v1/entity/${path.split("/")[2]}`;
    const { presence_score: score, stats } = await read(EntityResponse, api);
    const { observations } = await read(EvidencePacket, `${api}/evidence`);
    await using watched = await open();
    const { page } = watched;
    await page.goto(path);
    const fact = async (term: string) => {
      const box = page.locator(".facts > div").filter({ has: page.getByText(term, { exact: true }) });
      return (await box.locator("dd").innerText()).split("\n")[0];
    };
    expect(await fact("Physical Presence Score")).toBe(score.pps?.toFixed(2) ?? "not ranked");
    expect(await fact("Rank in the city")).toBe(
      score.pbi_rank === null ? "–" : `${score.pbi_rank} of ${score.pbi_cohort_size}`,
    );
    expect(await fact("Percentile")).toBe(score.cohort_percentile?.toFixed(2) ?? "–");
    expect(await fact("Provisional score")).toBe(score.provisional_pps.toFixed(2));
    const gate = score.ranking_gate;
    const requirements = [gate.independent_observers, gate.countable_observations, gate.observation_days];
    const met = (await tableTexts(page, "Requirements of the ranking")).map(([, has, met]) => [has, met]);
    expect(met.slice(0, 3)).toEqual(
      requirements.map(({ current, required, met }) => {
        return [`${current} (${required} needed)`, met ? "yes" : "not yet"];
      }),
    );
    const rows = await tableTexts(page, "Latest observations");
    expect(rows.map(([row, , , state]) => [row, state])).toEqual(
      observations.recent.map(({ id, verif_state }) => [String(id), verif_state]),
    );
    expect(observations.total_public).toBe(stats.observation_count);
    expect(await page.locator("main").innerText()).toContain(score.ranking_reason);
  });

  test("synthetic records, and every page that shows them, say so", async () => {
    await using watched = await open();
    for (const path of Object.values(paths)) {
      await watched.page.goto(path);
      expect(await watched.page.locator(".notice").innerText()).toContain("made up");
      if (path.startsWith("/record/"))
        expect(await watched.page.locator(".tag").innerText()).toContain("synthetic");
    }
  });

  test("a record says what its observations mean, what they prove and what they do not", async () => {
    await using watched = await open();
    const path = paths["ranked record"] ?? "";
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
    expect(text).toContain(index.coverage_confidence.note);
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
        encodingFormat,
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
  test("from the home page over a city and a record to its data", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/");
    await page.getByRole("link", { name: index.city.name, exact: true }).click();
    expect(await page.locator("h1").innerText()).toBe(index.city.display_label);
    const name = index.rankings[0]?.name ?? "";
    await page.getByRole("link", { name, exact: true }).click();
    expect(await page.locator("h1").innerText()).toBe(name);
    const [answer] = await Promise.all([
      page.waitForResponse(/\/api\/v1\/entity\/[^/]+$/),
      page.getByRole("link", { name: "Record as JSON" }).click(),
    ]);
    expect(answer.headers()["content-type"]).toMatch(/^application\/json/);
    expect(EntityResponse.parse(await answer.json()).entity.name).toBe(name);
    expect(faults).toEqual([]);
  });

  test("the search form finds a record by a part of its name", async () => {
    await using watched = await open();
    const { page } = watched;
    await page.goto("/");
    await page.getByLabel("Find a record by name").fill("lamplighters");
    const [answer] = await Promise.all([
      page.waitForResponse(/\/api\/v1\/search\?/),
      page.getByRole("button", { name: "Search" }).click(),
    ]);
    const { results } = SearchResponse.parse(await answer.json());
    expect(results.map((record) => record.name.startsWith(LONGEST))).toEqual([true]);
  });

  test("every page has a title, an address and alternates of its own, and they answer", async () => {
    await using watched = await open();
    const { page } = watched;
    const titles = new Set<string>();
    for (const path of Object.values(paths)) {
      await page.goto(path);
      titles.add(await page.title());
      expect(await page.locator("link[rel=canonical]").getAttribute("href")).toBe(DEMO_BASE_URL + path);
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      for (const link of await page.locator("link[rel=alternate]").all()) {
        const answer = await fetch(server.url + (await link.getAttribute("href")));
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toContain((await link.getAttribute("type")) ?? "a type");
      }
    }
    expect(titles.size).toBe(Object.keys(paths).length);
    await page.goto(`/city/${index.city.slug}/`);
    expect(await page.locator('link[type="application/rss+xml"]').count()).toBe(1);
  });

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
  const looks = [
    { colorScheme: "light", viewport: { width: 1100, height: 800 } },
    { colorScheme: "dark", viewport: NARROW },
  ] as const;
  test.each(looks)(
    "axe finds nothing on any page, $colorScheme, $viewport.width pixels wide",
    async (look) => {
      await using watched = await open(look);
      for (const [kind, path] of [...Object.entries(paths), ["nothing", "/nothing/"]]) {
        await watched.page.goto(path ?? "");
        const { violations, passes } = await new AxeBuilder({ page: watched.page }).analyze();
        expect(violations.map(({ id, nodes }) => `${kind}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
        expect(passes.map(({ id }) => id)).toContain("color-contrast"); // it looked
      }
    },
    180_000,
  );

  test("no page scrolls sideways at 320 pixels, and wide tables do", async () => {
    await using watched = await open({ viewport: NARROW });
    for (const [kind, path] of Object.entries(paths)) {
      await watched.page.goto(path);
      expect([kind, await watched.page.evaluate("document.documentElement.scrollWidth")]).toEqual([
        kind,
        320,
      ]);
    }
    await watched.page.goto(`/city/${index.city.slug}/`);
    const region = watched.page.getByRole("region", { name: "Records of the city" });
    await region.focus();
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
    expect(await focus()).toEqual({ text: "Skip to the content", outline: 3, inView: true });
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

  test("headings go down step by step, with one at the top", async () => {
    await using watched = await open();
    for (const path of Object.values(paths)) {
      await watched.page.goto(path);
      const levels = z.array(z.number()).parse(await watched.page.evaluate(HEADING_LEVELS));
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
    }
  });

  test("without JavaScript every page reads the same, and nothing is refused or fetched elsewhere", async () => {
    await using plain = await open({ javaScriptEnabled: false });
    await using watched = await open();
    for (const path of Object.values(paths)) {
      await Promise.all([plain.page.goto(path), watched.page.goto(path)]);
      const text = await plain.page.locator("body").innerText();
      expect(await watched.page.locator("body").innerText()).toBe(text);
      // A tool may say of itself what it never says of a business.
      const claims = TOOLS.reduce((rest, { description }) => rest.replace(description, ""), text);
      expect(claims).not.toMatch(/verified business|\bclosed\b|\bundefined\b|\bNaN\b|\[object/i);
    }
    expect([...plain.faults, ...watched.faults]).toEqual([]);
  });

  test("a name is text, whatever it holds, and keeps to itself", async () => {
    await using watched = await open();
    const { page } = watched;
    for (const name of [MARKUP, JAPANESE]) {
      await page.goto(await recordNamed(name));
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

const HEADING_LEVELS = `[...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1]))`;
