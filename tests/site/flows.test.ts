import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { CityIndexResponse, CityList } from "../../src/contract/cities/city.ts";
import { EvidencePacket } from "../../src/contract/records/evidence.ts";
import { SearchResponse } from "../../src/contract/records/search.ts";
import { type Hand, keyboard, mouse } from "../support/operations/hands.ts";
import { openBrowser, tableTexts, WatchedPage } from "../support/pages/browser.ts";
import { DEMO_BASE_URL, type DemoServer, homeBeside, serveHome } from "../support/towns/demo-home.ts";

/** What people come for, from its first page to its end: by mouse, and again by keyboard alone. */

const SHOWN = 10; // records on a city's page
const WAIT = { timeout: 10_000 };
const FILTERS = { industry: "", online_presence: "unknown" };

let home: string;
let server: DemoServer;
let browser: Browser;
let index: CityIndexResponse; // of the city with most records
let record: string; // path of its first

async function read<T>(schema: z.ZodType<T>, path: string): Promise<T> {
  return schema.parse(await (await fetch(server.url + path)).json());
}

const cityPath = () => `/city/${index.city.slug}/`;

function cityIndex(query: Readonly<Record<string, string>>, slug = index.city.slug) {
  const limit = String(SHOWN);
  return read(CityIndexResponse, `/api/v1/city/${slug}/index?${new URLSearchParams({ limit, ...query })}`);
}

beforeAll(async () => {
  home = homeBeside(inject("demoHome")); // asking for alerts writes into its state
  [server, browser] = await Promise.all([serveHome(home), openBrowser()]);
  const cities = await read(CityList, "/api/v1/cities");
  const indexes = await Promise.all(cities.map(({ slug }) => cityIndex({}, slug)));
  const [largest] = indexes.sort((a, b) => b.total_count - a.total_count);
  if (largest === undefined) throw new Error("the demonstration has no city");
  index = largest;
  record = `/record/${index.rankings[0]?.public_id}/`;
  FILTERS.industry = await filteredIndustry();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(home, { recursive: true });
});

/** An industry of which the city has records that pass the other filter too. */
async function filteredIndustry(): Promise<string> {
  for (const { industry } of index.rankings)
    if (industry !== null && (await cityIndex({ ...FILTERS, industry })).total_count > 0) return industry;
  throw new Error("no record passes both filters");
}

/** What a program prints that a reader pastes into a terminal, in an empty folder. */
async function runInShell(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "reader-"));
  try {
    return (await promisify(execFile)("sh", ["-c", program], { cwd: folder })).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const open = (options: BrowserContextOptions = {}) => WatchedPage.open(browser, server.url, options);

async function names(page: Page): Promise<(string | undefined)[]> {
  const rows = await tableTexts(page, "Records of the city");
  return rows.map(([, name]) => name?.split("\n")[0]);
}

function namesOf({ rankings }: CityIndexResponse): string[] {
  return rankings.map(({ name }) => name);
}

const heading = (page: Page) => page.locator("h1").innerText();

describe.each([
  { way: "by mouse", hand: mouse },
  { way: "by keyboard alone", hand: keyboard },
])("$way", ({ hand }) => {
  test("find a city", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/");
    const cities = page.getByRole("region", { name: "Cities", exact: true });
    await hand.press(cities.getByRole("link", { name: index.city.name, exact: true }));
    await page.waitForURL(`**${cityPath()}`);
    expect(await heading(page)).toBe(index.city.display_label);
    expect(faults).toEqual([]);
  });

  test("find a record while its name is written", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    const [wanted] = (await read(SearchResponse, "/api/v1/search?name=lamplighters")).results;
    await page.goto(cityPath());
    await hand.write(page.getByRole("banner").getByLabel("Find a record by name"), "lamplighters");
    await hand.takeFirst(page.getByRole("listbox").getByRole("option"), "lamplighters");
    await page.waitForURL(`**/record/${wanted?.public_id}/`);
    expect(await heading(page)).toBe(wanted?.name);
    expect(faults).toEqual([]);
  });

  test("filter a city's records by industry and online presence", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto(cityPath());
    await choose(page, hand, "Industry", { industry: FILTERS.industry });
    await choose(page, hand, "Online presence", FILTERS);
    // Both filters together may list the same records as the first alone.
    const asked = () => new URL(page.url()).searchParams.get("online_presence");
    await expect.poll(asked, WAIT).toBe(FILTERS.online_presence);
    expect(faults).toEqual([]);
  });

  test("turn to the next page of a list", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto(cityPath());
    await hand.press(page.getByRole("link", { name: /^Next / }));
    const next = await cityIndex({ cursor: index.next_cursor ?? "" });
    await expect.poll(() => names(page), WAIT).toEqual(namesOf(next));
    expect(faults).toEqual([]);
  });

  test("open a record, and check a row of the ledger that it lists", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto(cityPath());
    const [first] = index.rankings;
    await hand.press(page.getByRole("link", { name: first?.name ?? "", exact: true }));
    await page.waitForURL(`**${record}`);
    await hand.press(page.getByRole("link", { name: /^Verify row / }).first());
    await page.locator('#verdict[data-state="passed"]').waitFor();
    expect(faults).toEqual([]);
  });

  test("copy a citation", async () => {
    await using watched = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, faults } = watched;
    await page.goto(record);
    const path = record.replace("/record/", "/api/v1/entity/");
    const { citations } = await read(EvidencePacket, `${path}evidence`);
    await hand.press(page.locator("button[data-copy]", { hasText: "citation" }));
    await page.getByText("Copied.", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(citations.suggested_citation);
    expect(faults).toEqual([]);
  });

  test("copy a program with its lines; without JavaScript there is no button", async () => {
    await using watched = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, faults } = watched;
    await page.goto("/developers/");
    const code = page.locator("details[open] pre").first();
    await hand.press(page.locator("details[open] button[data-copy]").first());
    await page.getByText("Copied.", { exact: true }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect([copied, String(copied).split("\n").length > 5]).toEqual([await code.textContent(), true]);
    expect(faults).toEqual([]);
    await using plain = await open({ javaScriptEnabled: false });
    await plain.page.goto("/developers/");
    expect(await plain.page.locator("button[data-copy]:visible").count()).toBe(0);
  });

  test("copy the first call, run it, and get what the page says", async ({ skip }) => {
    skip(spawnSync("curl", ["--version"]).status !== 0, "curl is not installed");
    await using watched = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = watched;
    await page.goto("/developers/");
    await hand.press(page.locator("details[open] button[data-copy]").first());
    await page.getByText("Copied.", { exact: true }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    const shown = String(await page.locator("details[open] pre").nth(1).textContent());
    const [start = "", end = ""] = shown.split("\n…\n");
    const printed = await runInShell(copied.replaceAll(DEMO_BASE_URL, server.url));
    expect(printed.slice(0, start.length)).toBe(start);
    expect(printed.endsWith(`${end}\n`)).toBe(true);
  });

  test("download what the explorer shows", async () => {
    await using watched = await open();
    const { page } = watched;
    const { slug } = index.city;
    await page.goto("/explorer/");
    await hand.choose(page.getByLabel("City", { exact: true }), slug);
    await page.waitForURL(`**/explorer/?city=${slug}*`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      hand.press(page.getByRole("link", { name: "Download these rows as CSV" })),
    ]);
    const csv = await (await fetch(`${server.url}/api/v1/explorer.csv?city=${slug}`)).text();
    expect(readFileSync(await download.path(), "utf8")).toBe(csv);
    expect(csv.split("\n").length).toBeGreaterThan(10);
  });

  test("subscribe to alerts", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/alerts/");
    await hand.write(page.getByLabel("Email address"), "reader@reader.example.org");
    await hand.choose(page.getByLabel("City", { exact: true }), index.city.slug);
    await hand.press(page.getByRole("button", { name: "Subscribe" }));
    await page.locator('#outcome[data-state="accepted"]').waitFor();
    expect(faults).toEqual([]);
  });

  test("report a problem of a record, and see that it waits", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto(record);
    await hand.press(page.getByRole("main").getByRole("link", { name: "Report a problem" }));
    await page.waitForURL("**/report/?about=*");
    const [, , id = ""] = record.split("/");
    expect(await page.getByLabel("What is it about?").inputValue()).toContain(id);
    await hand.choose(page.getByLabel("What is wrong?"), "not_there");
    await hand.write(page.getByLabel("Describe the problem"), "I went there, and nobody knew of it.");
    await hand.press(page.getByRole("button", { name: "Send the report" }));
    await page.waitForURL("**/report/received/?report=rep_*");
    await page.locator('#outcome[data-state="shown"]').waitFor();
    expect(await page.locator("#outcome").innerText()).toContain("open");
    expect(faults).toEqual([]);
  });

  test("read in the reference how to search", async () => {
    await using watched = await open();
    const { page, faults } = watched;
    await page.goto("/developers/");
    await hand.press(page.getByRole("main").getByRole("link", { name: "API reference" }).first());
    await page.waitForURL("**/developers/api/");
    const operation = page.getByRole("row", { name: "searchEntities" });
    await hand.press(operation.getByRole("link"));
    await page.waitForURL("**/searchEntities/");
    const shown = (await tableTexts(page, "Parameters")).map(([name]) => name);
    expect(shown).toEqual(await parametersOf("searchEntities"));
    expect(faults).toEqual([]);
  });
});

/** Chooses a filter and waits until the list is that of the interface under all filters given. */
async function choose(
  page: Page,
  hand: Hand,
  label: string,
  filters: Partial<typeof FILTERS>,
): Promise<void> {
  const value = Object.values(filters).at(-1) ?? "";
  await hand.choose(page.getByLabel(label, { exact: true }), value);
  const expected = namesOf(await cityIndex(filters));
  await expect.poll(() => names(page), WAIT).toEqual(expected);
}

const Parameter = z.looseObject({ name: z.string() });
const OpenApi = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({ operationId: z.string(), parameters: z.array(Parameter).default([]) }),
    ),
  ),
});

async function parametersOf(id: string): Promise<string[]> {
  const { paths } = await read(OpenApi, "/openapi.json");
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations.find(({ operationId }) => operationId === id)?.parameters.map(({ name }) => name) ?? [];
}

describe("without JavaScript", () => {
  test("filter a city's records, and turn the page", async () => {
    await using watched = await open({ javaScriptEnabled: false });
    const { page, faults } = watched;
    await page.goto(cityPath());
    await page.getByLabel("Industry", { exact: true }).selectOption(FILTERS.industry);
    await page.getByLabel("Online presence", { exact: true }).selectOption(FILTERS.online_presence);
    await page.getByRole("button", { name: "Show", exact: true }).click();
    expect(await names(page)).toEqual(namesOf(await cityIndex(FILTERS)));
    await page.goto(cityPath());
    await page.getByRole("link", { name: /^Next / }).click();
    expect(await names(page)).toEqual(namesOf(await cityIndex({ cursor: index.next_cursor ?? "" })));
    expect(faults).toEqual([]);
  });

  test("find records by a part of their name", async () => {
    await using watched = await open({ javaScriptEnabled: false });
    const { page, faults } = watched;
    await page.goto("/methodology/");
    await page.getByRole("banner").getByLabel("Find a record by name").fill("lamplighters");
    await page.getByRole("banner").getByRole("button", { name: "Search" }).click();
    const { results } = await read(SearchResponse, "/api/v1/search?name=lamplighters");
    expect(await page.locator("ul.found > li > a").allInnerTexts()).toEqual(results.map(({ name }) => name));
    expect(faults).toEqual([]);
  });
});

test("a record prints as an evidence sheet, without the site around it", async () => {
  await using watched = await open();
  const { page } = watched;
  await page.goto(record);
  await page.emulateMedia({ media: "print" });
  const around = "nav, footer, form, button"; // the site's name stays, as the head of a letter
  expect(await page.locator(around).filter({ visible: true }).allInnerTexts()).toEqual([]);
  const text = await page.locator("main").innerText();
  const packet = await read(EvidencePacket, `${record.replace("/record/", "/api/v1/entity/")}evidence`);
  for (const part of [
    ...packet.what_this_proves,
    ...packet.what_this_does_not_prove,
    packet.record.public_id,
  ])
    expect(text).toContain(part);
  expect(text).toContain(`The latest 3 of ${packet.observations.total_rows} ledger rows`);
  expect(text).toContain("Raw score");
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThanOrEqual(1);
});

test("an owner corrects a record, by the words on the screen alone", async () => {
  await using watched = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  const { page, faults } = watched;
  await page.goto(record);
  const name = await heading(page);
  await page.getByRole("main").getByRole("link", { name: "Is this your business?" }).click();
  await page.getByRole("heading", { name: "Is this your business?" }).waitFor();
  expect(await page.getByRole("main").innerText()).toContain(name);
  await page.getByRole("link", { name: "Report what is wrong" }).click();
  const [, , id = ""] = record.split("/");
  expect(await page.getByLabel("What is it about?").inputValue()).toBe(id);
  await page.getByLabel("What is wrong?").selectOption("The name is wrong.");
  await page.getByLabel("Describe the problem").fill("The sign above our door has another name now.");
  await page.getByRole("button", { name: "Send the report" }).click();
  await page.getByRole("heading", { name: "Report received" }).waitFor();
  await page.getByText("The report is stored and awaits a decision.").waitFor();
  await page.getByRole("button", { name: "Copy the reference" }).click();
  await page.getByText("Copied.", { exact: true }).waitFor();
  const reference = new URL(page.url()).searchParams.get("report");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(reference);
  expect(faults).toEqual([]);
});

test("a passer-by finds what was seen nearest, on a phone", async () => {
  const [latitude, longitude] = [43.5448, -80.2482]; // in the middle of Guelph
  await using watched = await open({
    viewport: { width: 390, height: 844 },
    geolocation: { latitude, longitude },
    permissions: ["geolocation"],
  });
  const { page, faults } = watched;
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "near me" }).click();
  await page.getByRole("button", { name: "Use my position" }).click();
  await page.getByRole("heading", { name: "Records in and around this area" }).waitFor();
  const texts = await page.getByText(/^about \d+ km away$/).allInnerTexts();
  const distances = texts.map((text) => Number(text.replace(/\D/g, "")));
  expect(distances.length).toBeGreaterThan(0);
  expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  await page.getByRole("main").getByRole("listitem").first().getByRole("link").click();
  await page.waitForURL("**/record/*/");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
});
