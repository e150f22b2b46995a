import { describe, expect, test } from "vitest";
import { formFor, questionPart } from "../../../tests/support/pages/compiled.ts";
import { fakeCity } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { EXPLORER_COLUMNS } from "../../contract/service/exports.ts";
import type { ExplorerRow } from "../../snapshot/rows.ts";
import { columnMeanings } from "../pages/guides.ts";
import { explorer } from "./explorer.ts";
import { argumentsIn } from "./query-page.ts";

const row = (at: number, changes: Partial<ExplorerRow> = {}): ExplorerRow => ({
  city: at % 2 === 0 ? "alpha" : "beta",
  industry: "5610",
  assetType: at % 3 === 0 ? "storefront" : "vehicle_wrap",
  claimState: "unclaimed",
  entities: 1200,
  observations: 1000 - at,
  observedCells: 3,
  assets: 4,
  avgPps: null,
  avgPercentile: 12.345,
  firstObserved: Date.UTC(2026, 0, 2),
  lastObserved: null,
  ...changes,
});

function contextOf(rows: number) {
  return fakeContext({
    cities: [fakeCity(1, "Alpha"), fakeCity(2, "Beta")],
    explorer: Array.from({ length: rows }, (_, at) => row(at)),
  });
}

async function answer(query: string, rows = 3): Promise<string> {
  const input = { path: {}, query: argumentsIn(explorer, query) ?? {} };
  const part = await questionPart(explorer, contextOf(rows), input);
  return part.replaceAll("&#38;", "&").replaceAll("&amp;", "&");
}

const summaryOf = (text: string) => /data-summary>([^<]*)</.exec(text)?.[1];
/** Rows of the table of aggregates, which is the last one. */
const rowsOf = (text: string) =>
  [
    ...(text.split('aria-label="Aggregates"')[1] ?? "").matchAll(/<tr>\s*<th scope="row"[^>]*>.*?<\/tr>/gs),
  ].map(([each]) =>
    [...each.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "")),
  );

test("a row in words, with numbers as people read them", async () => {
  expect(rowsOf(await answer(""))[0]).toEqual([
    "Alpha",
    "Restaurants and mobile food service activities (ISIC 5610)",
    "storefront",
    "unclaimed",
    "1,200",
    "1,000",
    "3",
    "medium",
    "4",
    "too few ranked",
    "12.35",
    "1 Jan 2026",
    "none yet",
  ]);
  expect(await answer("")).toContain("2,997 observations of 12 assets");
});

describe("what is shown, and what the file has", () => {
  test.each([
    ["", 3, 3, "3 rows"],
    ["", 120, 25, "120 rows"],
    ["", 600, 25, "The first 500 rows"],
    ["limit=250", 600, 250, "The first 250 rows"],
    ["limit=250", 200, 200, "200 rows"],
    ["limit=1", 3, 1, "The first 1 row"],
  ])("%s of %i", async (query, rows, shown, summary) => {
    const text = await answer(query, rows);
    expect(rowsOf(text)).toHaveLength(shown);
    expect(summaryOf(text)).toBe(summary);
  });

  test("the download has the same filters, and all rows", async () => {
    const filters =
      "city=alpha&industry=I&asset_type=storefront&online_presence=none&min_percentile=50&limit=25";
    const [, href = ""] =
      /href="(\/api\/v1\/explorer\.csv[^"]*)"/.exec(await answer(`${filters}&utm=x`)) ?? [];
    expect(Object.fromEntries(new URLSearchParams(href.split("?")[1]))).toEqual(
      Object.fromEntries(new URLSearchParams(filters)),
    );
    expect(await answer("")).toContain('href="/api/v1/explorer.csv"');
    expect(await answer("")).toContain('href="/exports/explorer.csv"');
  });
});

describe("the chart divides the observations by what was not asked for", () => {
  test.each([
    ["", "kind of asset", ["vehicle wrap", "3,988", "storefront", "1,997"]],
    ["city=alpha", "kind of asset", ["vehicle wrap", "3,988", "storefront", "1,997"]],
    ["asset_type=storefront", "city", ["Alpha", "2,994", "Beta", "2,991"]],
    [
      "asset_type=storefront&city=alpha",
      "section of industry",
      ["Accommodation and food service activities", "5,985"],
    ],
  ])("%s: by %s", async (query, by, bars) => {
    const [chart = ""] = (await answer(query, 6)).split('aria-label="Aggregates"');
    expect(chart).toContain(`<title id="explorer-chart-title">What was seen, by ${by}</title>`);
    const rows = [...(chart.split("<tbody>")[1] ?? "").matchAll(/<t[hd][^>]*>([^<]*)<\/t[hd]>/g)];
    expect(rows.map(([, cell]) => cell)).toEqual(bars);
  });

  test("many parts: the last bar stands for the others", async () => {
    const cities = Array.from({ length: 20 }, (_, at) => fakeCity(at + 1, `Town${at}`));
    const rows = cities.map(({ slug }, at) => row(at, { city: slug, observations: 10 }));
    const context = fakeContext({ cities, explorer: rows });
    const input = { path: {}, query: { asset_type: "billboard" } };
    expect(await questionPart(explorer, context, input)).toMatch(/9 others<\/th><td[^>]*>90</);
  });
});

test("nothing found is told in the words of the contract", async () => {
  const text = await answer("asset_type=billboard", 0);
  expect(summaryOf(text)).toBe("Nothing matches");
  expect(text).toContain(NO_RESULT.limitation);
});

test.each([
  ["city=nowhere", 404],
  ["industry=zzz", 400],
])("%s is refused", async (query, status) => {
  await expect(answer(query)).rejects.toThrow(expect.objectContaining({ status }));
});

test("every column is explained by the contract", async () => {
  expect(columnMeanings().map(({ name }) => name)).toEqual(EXPLORER_COLUMNS);
  for (const { head, meaning } of columnMeanings()) expect([head, meaning]).not.toContain("");
});

test("the form keeps a number of rows that is not in its list, and no nonsense", async () => {
  const form = (limit: string) => formFor(explorer, contextOf(1), { path: {}, query: { limit } });
  expect(await form("7")).toContain('<option value="7" selected>at most 7</option>');
  expect(await form("-7")).not.toContain("-7");
});
