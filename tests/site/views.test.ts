import { latLngToCell } from "h3-js";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CityIndexResponse, CityList } from "../../src/contract/cities/city.ts";
import { EntityResponse } from "../../src/contract/records/entity.ts";
import { EvidencePacket } from "../../src/contract/records/evidence.ts";
import { SearchResponse } from "../../src/contract/records/search.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { readWebsite } from "../../src/kernel/text/contacts.ts";
import { monthText } from "../../src/render/words/format.ts";
import { openBrowser, tableTexts, WatchedPage } from "../support/pages/browser.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { serveFiles } from "../trial/real/plain-file-server.ts";

/** Pages that take arguments: with JavaScript, without it, and without a server. */

const GUELPH = [43.5448, -80.2482] as const;
const JAPANESE = "信濃川べり";

let server: DemoServer;
let browser: Browser;
let index: CityIndexResponse; // of the city with most records
let city: string; // path of its page

async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(await (await fetch(server.url + path)).json());
}

function cityIndex(query: Readonly<Record<string, string>>, slug = index.city.slug) {
  return read(
    CityIndexResponse,
    `/api/v1/city/${slug}/index?${new URLSearchParams({ limit: "10", ...query })}`,
  );
}

beforeAll(async () => {
  [server, browser] = await Promise.all([serveHome(inject("demoHome")), openBrowser()]);
  const cities = await read(CityList, "/api/v1/cities");
  const indexes = await Promise.all(cities.map(({ slug }) => cityIndex({}, slug)));
  const [largest] = indexes.sort((a, b) => b.total_count - a.total_count);
  if (largest === undefined) throw new Error("the demonstration has no city");
  index = largest;
  city = `/city/${index.city.slug}/`;
  // The thread that searches starts with the first search, which is refused when that takes too long.
  while (!(await fetch(`${server.url}/search/?name=o`)).ok);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** A record of the largest city that publishes a website. */
async function someWebsite(): Promise<{ name: string; host: string }> {
  for (const { public_id } of index.rankings) {
    const { entity } = await read(EntityResponse, `/api/v1/entity/${public_id}`);
    const website = readWebsite(entity.website ?? "");
    if (website !== undefined) return { name: entity.name, host: website.host };
  }
  throw new Error("no record has a website");
}

const open = (options: BrowserContextOptions = {}) => WatchedPage.open(browser, server.url, options);

const names = (page: Page) =>
  page.getByRole("region", { name: "Records of the city" }).locator("tbody th bdi").allInnerTexts();
/** What comes to be, however busy the machine is. */
const eventually = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 20_000 });

const namesOf = ({ rankings }: CityIndexResponse) => rankings.map(({ name }) => name);
const summary = (page: Page) => page.locator("[data-summary]").innerText();
const query = (page: Page) => new URL(page.url()).search;
const focused = async (page: Page) =>
  z.string().parse(await page.evaluate("document.activeElement.id || document.activeElement.textContent"));

describe.each([
  { way: "without JavaScript", javaScriptEnabled: false },
  { way: "with JavaScript", javaScriptEnabled: true },
])("$way", ({ javaScriptEnabled }) => {
  test("a city's records are sorted, filtered and paged, and each keeps the others", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto(city);
    await page.getByRole("link", { name: "Record", exact: true }).click();
    await eventually(() => names(page)).toEqual(namesOf(await cityIndex({ sort: "name" })));
    expect(await page.locator("[aria-sort]").innerText()).toMatch(/^Record/);
    const next = await cityIndex({
      sort: "name",
      cursor: (await cityIndex({ sort: "name" })).next_cursor ?? "",
    });
    await page.getByRole("link", { name: /^Next / }).click();
    await eventually(() => names(page)).toEqual(namesOf(next));
    expect(await summary(page)).toBe(`11 to ${10 + next.returned_count} of ${index.total_count} records`);
    await page.getByRole("link", { name: "First page" }).click();
    await eventually(() => summary(page)).toMatch(/^1 to 10 of/);
    expect(query(page)).toBe("?sort=name");
    await page.getByLabel("Online presence").selectOption("none");
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
    const filtered = await cityIndex({ sort: "name", online_presence: "none" });
    await eventually(() => names(page)).toEqual(namesOf(filtered));
    expect(await page.getByLabel("Order").inputValue()).toBe("name");
    expect(faults).toEqual([]);
  });

  test("the search narrows by city, and leads to the record", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto("/search/?name=o");
    await page.getByLabel("City").selectOption(index.city.slug);
    if (!javaScriptEnabled)
      await page.getByRole("search", { name: "Records" }).getByRole("button", { name: "Search" }).click();
    await eventually(() => query(page)).toContain(`city=${index.city.slug}`);
    const first = page.locator(".found > li").first();
    await eventually(() => first.locator("bdi").nth(1).innerText()).toBe(index.city.name);
    const name = await first.locator("a").innerText();
    await first.locator("a").click();
    await page.waitForURL("**/record/**");
    expect(await page.locator("h1").innerText()).toBe(name);
    expect(faults).toEqual([]);
  });

  test("a search is read page by page, and says which cities it searched", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto("/search/?name=o");
    const all = await read(SearchResponse, "/api/v1/search?name=o&limit=100");
    const found = () => page.locator(".found > li > a").allInnerTexts();
    const namesOnPage = (from: number) => all.results.slice(from, from + 50).map(({ name }) => name);
    expect(await found()).toEqual(namesOnPage(0));
    const text = await page.locator("[data-view]").innerText();
    expect(text).toContain(`1 to 50 of ${all.total_count} records`);
    expect(text).toMatch(/Searched: .* and .*\. Lowest coverage confidence: /);
    await page.getByRole("link", { name: "Next 50" }).click();
    await eventually(found).toEqual(namesOnPage(50));
    await page.getByRole("link", { name: "First page" }).click();
    await eventually(found).toEqual(namesOnPage(0));
    expect(faults).toEqual([]);
  });

  test("a record is found by its website, however it is written", async () => {
    const { name, host } = await someWebsite();
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto("/search/");
    await page.getByLabel("Website").fill(`WWW.${host}/menu?x=1`);
    await page.getByRole("search", { name: "Records" }).getByRole("button", { name: "Search" }).click();
    await eventually(() => summary(page)).toBe(`Records with the website ${host}`);
    expect(await page.locator(".found > li > a").allInnerTexts()).toContain(name);
    expect(faults).toEqual([]);
  });

  test("the explorer counts what was chosen, and names the file of it", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    await page.goto("/explorer/");
    await page.getByLabel("Kind of asset", { exact: true }).selectOption("vehicle_wrap");
    if (!javaScriptEnabled) await page.getByRole("button", { name: "Show", exact: true }).click();
    await eventually(async () => (await tableTexts(page, "Aggregates")).map(([, , kind]) => kind)).toSatisfy(
      (kinds: string[]) => kinds.length > 0 && kinds.every((kind) => kind === "vehicle wrap"),
    );
    expect(await page.locator("figure svg title").textContent()).toBe("What was seen, by city");
    const href = await page.getByRole("link", { name: "Download these rows as CSV" }).getAttribute("href");
    expect(href).toBe("/api/v1/explorer.csv?asset_type=vehicle_wrap");
    expect(faults).toEqual([]);
  });

  test.each([
    ["?industry=zzz", "Start again without filters", ""],
    ["?sort=name&cursor=nonsense", "Start again from the first page", "?sort=name"],
  ])("%s is told in the page, with a way on", async (wrong, link, after) => {
    await using watched = await open({ javaScriptEnabled });
    const { page } = watched;
    const answer = await page.goto(city + wrong);
    expect(answer?.status()).toBe(400);
    expect(await page.getByRole("alert").innerText()).toContain("Check what you entered");
    expect(await page.locator("h1").innerText()).toBe(index.city.display_label);
    await page.getByRole("link", { name: link }).click();
    await eventually(() => summary(page)).toMatch(/^1 to 10 of/);
    expect(query(page)).toBe(after);
  });
});

describe("near a position", () => {
  const pressed = (page: Page) => page.getByRole("button", { name: "Use my position" }).click();
  const message = (page: Page) => page.locator("[data-position-status]").innerText();

  test("becomes a map cell in the browser, and nothing else is sent", async () => {
    const [latitude, longitude] = GUELPH;
    await using watched = await open({
      geolocation: { latitude, longitude },
      permissions: ["geolocation"],
    });
    const { page, faults } = watched;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url() + (request.postData() ?? "")));
    await page.goto("/search/");
    expect(sent.filter((url) => url.includes("map-cell"))).toEqual([]); // loaded when it is needed
    await pressed(page);
    const near = latLngToCell(latitude, longitude, 7);
    await eventually(() => query(page)).toBe(`?near=${near}`);
    await eventually(() => summary(page)).toBe("Records in and around this area");
    const { total_count, searched_cities } = await read(SearchResponse, `/api/v1/search?near=${near}`);
    expect(searched_cities).toEqual(["guelph"]);
    expect(await page.locator("[data-view]").innerText()).toContain(`of ${total_count} records`);
    expect(await focused(page)).toBe("search-position");
    expect(sent.join(" ")).not.toMatch(/43\.5|80\.2/);
    expect(faults).toEqual([]);
  });

  test("is asked for by no page load; who denies it is told so, and can go on", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.addInitScript(
      "navigator.geolocation.getCurrentPosition = ((ask) => function (...all) { window.asked = true; ask.apply(this, all); })(navigator.geolocation.getCurrentPosition)",
    );
    await page.goto("/search/?name=o");
    expect(await page.evaluate("window.asked")).toBeUndefined();
    await pressed(page);
    await eventually(() => message(page)).toBe(
      "Your browser did not share your position. Allow it for this page, then try again.",
    );
    expect(await page.evaluate("window.asked")).toBe(true);
    expect(query(page)).toBe("?name=o");
    await page.getByLabel("Near an area").fill("872ab4941ffffff");
    await page.getByRole("search", { name: "Records" }).getByRole("button", { name: "Search" }).click();
    await eventually(() => query(page)).toBe("?name=o&near=872ab4941ffffff");
    expect(faults).toEqual([]);
  });

  test("cannot be had on another page", async () => {
    await using watched = await open({
      geolocation: { latitude: 43.5, longitude: -80.2 },
      permissions: ["geolocation"],
    });
    await watched.page.goto("/explorer/");
    const code = await watched.page.evaluate(
      "new Promise((done) => navigator.geolocation.getCurrentPosition(() => done('given'), (error) => done(error.code)))",
    );
    expect(code).toBe(1); // PERMISSION_DENIED
  });

  test("without JavaScript there is no button", async () => {
    await using watched = await open({ javaScriptEnabled: false });
    await watched.page.goto("/search/");
    expect(await watched.page.getByRole("button", { name: "Use my position" }).count()).toBe(0);
    expect(await watched.page.locator("#search-position").isVisible()).toBe(false);
  });
});

describe("with JavaScript nothing is loaded anew", () => {
  test("filters and pages change the region and the address, and history leads back", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto(city);
    await page.evaluate("window.isSame = true");
    const before = await names(page);
    await page.getByRole("link", { name: /^Next / }).click();
    await eventually(() => summary(page)).toMatch(/^11 to/);
    expect(await focused(page)).toMatch(/^11 to/);
    await page.getByLabel("Order").focus();
    await page.getByLabel("Order").selectOption("last_observed");
    await eventually(() => query(page)).toBe("?sort=last_observed");
    expect(await focused(page)).toBe("city-sort");
    await eventually(() => page.locator("p[role=status]:has(+ [data-view])").innerText()).toMatch(/^1 to 10/);
    await page.goBack();
    await eventually(() => summary(page)).toMatch(/^11 to/);
    await page.goBack();
    await eventually(() => names(page)).toEqual(before);
    expect(query(page)).toBe("");
    await page.goForward();
    await eventually(() => summary(page)).toMatch(/^11 to/);
    expect(await page.evaluate("window.isSame")).toBe(true);
    expect(faults).toEqual([]);
  });

  test("when there is no answer, the browser goes there by itself", async () => {
    await using watched = await open();
    const { page } = watched;
    await page.goto(city);
    await page.route("**/*sort=name*", (route) =>
      route.request().resourceType() === "fetch" ? route.abort() : route.continue(),
    );
    await page.getByRole("link", { name: "Record", exact: true }).click();
    await eventually(() => page.locator("[aria-sort]").innerText()).toMatch(/^Record/);
    expect(query(page)).toBe("?sort=name");
  });
});

describe("suggestions", () => {
  const field = (page: Page) => page.getByRole("banner").getByRole("combobox");
  const options = (page: Page) => page.getByRole("banner").getByRole("option");

  test("by keyboard alone, with all that is said about them", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/methodology/");
    const input = field(page);
    await input.focus();
    await page.keyboard.type("o");
    await page.waitForTimeout(400);
    expect(await input.getAttribute("aria-expanded")).toBe("false"); // one letter is too little
    await page.keyboard.type("o");
    await options(page).first().waitFor();
    const count = await options(page).count();
    expect(count).toBeGreaterThan(2);
    expect(await options(page).last().innerText()).toBe("All results for “oo”");
    expect(await options(page).first().locator("mark").innerText()).toMatch(/^oo$/i);
    expect(await page.getByRole("banner").getByRole("status").innerText()).toBe(
      `${count - 1} records. Use the up and down arrow keys to choose.`,
    );
    await page.keyboard.press("ArrowUp");
    expect(await input.getAttribute("aria-activedescendant")).toBe(
      await options(page).last().getAttribute("id"),
    );
    await page.keyboard.press("ArrowDown");
    expect(await options(page).first().getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Home");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    await page.keyboard.press("Escape");
    expect([await input.getAttribute("aria-expanded"), await input.inputValue()]).toEqual(["false", "oo"]);
    await page.keyboard.press("ArrowDown");
    await options(page).first().waitFor();
    await page.keyboard.press("Tab");
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ArrowDown");
    await options(page).first().waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search/?name=oo");
    expect(faults).toEqual([]);
  });

  test("one character of a dense script is enough; names from elsewhere are isolated, and none is markup", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/");
    await page.locator("#home-search").fill(JAPANESE.slice(0, 1));
    await page.locator("main").getByRole("option").first().waitFor();
    expect(await page.locator("main .suggestions bdi").first().getAttribute("translate")).toBe("no");
    await page.locator("#home-search").fill("<b>");
    await eventually(() => page.locator("main").getByRole("option").first().innerText()).toContain("<b>");
    expect(await page.locator(".suggestions b").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("without an answer the form works by itself", async () => {
    await using watched = await open();
    const { page } = watched;
    await page.goto("/methodology/");
    await page.route("**/api/v1/search?**", (route) =>
      route.fulfill({ status: 429, json: { error: "too many" } }),
    );
    await field(page).fill("lamplighters");
    await page.waitForTimeout(500);
    expect(await field(page).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search/?name=lamplighters");
    expect(await page.locator(".found > li").count()).toBe(1);
  });
});

test("a copy of the files alone shows the same pages, and says that it cannot filter", async () => {
  await using files = await serveFiles(releasePaths(homePaths(inject("demoHome")).current).site);
  await using watched = await WatchedPage.open(browser, files.url);
  const { page } = watched;
  await page.goto(city);
  expect(await names(page)).toEqual(namesOf(index));
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByLabel("Order").selectOption("name");
  expect(await page.getByRole("alert").innerText()).toContain("cannot filter");
  expect(await names(page)).toEqual(namesOf(index));
  await page.goto("/search/?name=lamplighters");
  expect(await page.getByRole("alert").innerText()).toContain("cannot filter");
  expect(await page.locator(".found > li").count()).toBeGreaterThan(5);
  await page.goto("/explorer/");
  expect((await tableTexts(page, "Aggregates")).length).toBeGreaterThan(10);
});

describe.each([
  { way: "without JavaScript", javaScriptEnabled: false },
  { way: "with JavaScript", javaScriptEnabled: true },
])("when a record was seen, $way", ({ javaScriptEnabled }) => {
  const record = () => `/record/${index.rankings[0]?.public_id}/`;
  const main = (page: Page) => page.locator("main").innerText();

  test("did it exist last spring? The page says how often it was seen then, and cites these months", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page, faults } = watched;
    const { spring, evidence } = await lastSpring(record());
    const seen = evidence.months.filter(({ month }) => spring.some((each) => each === month));
    const sightings = seen.reduce((sum, each) => sum + each.sightings, 0);
    await page.goto(record());
    for (const { month, sightings } of seen)
      expect(
        await page.getByRole("link", { name: new RegExp(`^${monthText(month)}: seen`) }).innerText(),
      ).toContain(String(sightings));
    await page.getByLabel("From", { exact: true }).fill(`${spring[0]}-01`);
    await page.getByLabel("To", { exact: true }).fill(`${spring[2]}-31`);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const year = spring[0].slice(0, 4);
    await eventually(() => main(page)).toContain(
      `Seen ${sightings} times from 1 Mar ${year} to 31 May ${year}`,
    );
    expect(await main(page)).toContain("A sighting shows the sign, not whether the business was open.");
    const quote = await page.locator("#citation").innerText();
    expect(quote).toContain(`In the months ${spring[0]} to ${spring[2]}, "${evidence.record.name}"`);
    const csv = await (
      await fetch(
        new URL(
          (await page.getByRole("link", { name: "Download CSV" }).getAttribute("href")) ?? "",
          server.url,
        ),
      )
    ).text();
    expect(csv.trimEnd().split("\r\n").length).toBeGreaterThan(sightings);
    expect(csv).toContain("/terms/");
    await page.getByRole("link", { name: /^The link shows this quote/ }).click();
    await eventually(() => main(page)).toContain("Current");
    expect(await main(page)).toContain(`${year}-03 to ${year}-05`);
    expect(faults).toEqual([]);
  });

  test("all rows are reached page by page, and days before the first sighting prove nothing", async () => {
    await using watched = await open({ javaScriptEnabled });
    const { page } = watched;
    const { evidence } = await lastSpring(record());
    await page.goto(record());
    await page.getByRole("link", { name: /^All \d+ rows$/ }).click();
    await page.getByRole("region", { name: "Observations", exact: true }).waitFor();
    const ledgerRows = async () =>
      (await tableTexts(page, "Observations")).flatMap((cells) => cells.slice(4, 5));
    const rows = new Set(await ledgerRows());
    for (const next = page.getByRole("link", { name: /^Next / }); (await next.count()) > 0; ) {
      const before = rows.size;
      await next.click();
      await eventually(async () => rows.has((await ledgerRows()).at(0) ?? "")).toBe(false);
      for (const row of await ledgerRows()) rows.add(row);
      expect(rows.size).toBeGreaterThan(before);
    }
    expect(rows.size).toBe(evidence.observations.total_rows);
    await page.goto(`${record()}?from=1999-01&to=1999-12`);
    expect(await main(page)).toContain("No sighting from 1 Jan 1999 to 31 Dec 1999");
    expect(await main(page)).toContain("This does not show that it was not there.");
    expect(await page.locator("#citation").count()).toBe(0);
    await page.goto(`${record()}?from=tomorrow`);
    expect(await main(page)).toContain("day or a month");
  });
});

test("the page of a record of many rows stays short on a phone", async () => {
  await using watched = await open({ viewport: { width: 390, height: 800 } });
  const { page } = watched;
  await page.goto(`/record/${index.rankings[0]?.public_id}/`);
  expect(z.number().parse(await page.evaluate("document.documentElement.scrollHeight"))).toBeLessThanOrEqual(
    6000,
  );
});

/** The months from March to May that are over, with the evidence of a record. */
async function lastSpring(record: string) {
  const evidence = await read(EvidencePacket, `${record.replace("/record/", "/api/v1/entity/")}evidence`);
  const [year, month] = evidence.generated_at.split("-").map(Number);
  const last = (month ?? 0) > 5 ? (year ?? 0) : (year ?? 0) - 1;
  return { evidence, spring: [`${last}-03`, `${last}-04`, `${last}-05`] as const };
}
