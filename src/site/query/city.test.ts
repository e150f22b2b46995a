import { expect, test } from "vitest";
import { formFor, questionPart } from "../../../tests/support/pages/compiled.ts";
import { fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { CitySort, ClaimState, RankingState } from "../../contract/enums.ts";
import { city } from "./city.ts";
import { argumentsIn } from "./query-page.ts";

const RECORDS = 345;
const records = Array.from({ length: RECORDS }, (_, at) =>
  fakeRecord(at + 1, { industry: at % 3 === 0 ? "4711" : "5610" }, at < 200 ? at + 1 : null),
);
const context = fakeContext({ records });

function page(query: string): Promise<string> {
  const input = { path: { city: "alpha" }, query: argumentsIn(city, query) ?? {} };
  return questionPart(city, context, input);
}

const summaryOf = (text: string) => /data-summary>([^<]*)</.exec(text)?.[1];
const linksOf = (text: string) =>
  [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
const recordsOf = (text: string) => linksOf(text).filter((href) => href.startsWith("/record/"));
const nextOf = (text: string) => /rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");

const queryOf = (href: string) => href.replace(/^[^?]*\?|#.*$/g, "");

/** Every page of a list, found through the links to the next one. */
async function allPages(filters: string): Promise<string[]> {
  const texts = [await page(filters)];
  for (let next = nextOf(texts[0] ?? ""); next !== undefined && texts.length < 40; ) {
    for (const filter of filters.split("&")) expect(next).toContain(filter);
    expect(next).toMatch(/^\/city\/alpha\/\?.*#records$/);
    texts.push(await page(queryOf(next)));
    next = nextOf(texts.at(-1) ?? "");
  }
  return texts;
}

test.each([
  ["", RECORDS, "341 to 345 of 345 records"],
  ["industry=G", 115, "111 to 115 of 115 records"],
  ["sort=name", RECORDS, "341 to 345 of 345 records"],
  ["industry=5610&sort=last_observed&online_presence=detected", 230, "221 to 230 of 230 records"],
  ["ranking_state=insufficient_evidence", 145, "141 to 145 of 145 records"],
  ["ranking_state=ranked&claim_status=unclaimed&sort=name", 200, "191 to 200 of 200 records"],
])("%s: all records are reached through links alone, each once", async (filters, total, summary) => {
  const texts = await allPages(filters);
  const seen = texts.flatMap(recordsOf);
  expect([seen.length, new Set(seen).size]).toEqual([total, total]);
  expect(summaryOf(texts[0] ?? "")).toBe(`1 to 10 of ${total} records`);
  expect(summaryOf(texts.at(-1) ?? "")).toBe(summary);
});

test("the first page has no way back, and the last one no way on", async () => {
  const first = await page("industry=G");
  expect(first).not.toContain("First page");
  expect(first).toContain(">Next 10</a>");
  const [second = "", last = ""] = (await allPages("industry=G")).slice(-2);
  expect(second).toContain(">Next 5</a>");
  expect(last).toContain('href="/city/alpha/?industry=G#records">First page</a>');
  expect(nextOf(last)).toBeUndefined();
});

test("heads of columns sort, begin at the first page, and keep the filters", async () => {
  const text = await page("industry=I&sort=name");
  expect(text.match(/aria-sort="\w+"/g)).toEqual(['aria-sort="ascending"']);
  expect(text).toMatch(/aria-sort="ascending">\s*<a class="sort" id="city-sort-name"/);
  const sorts = linksOf(text).filter((href) => /sort.*#/.test(href) && !href.includes("cursor"));
  expect(sorts).toEqual([
    "/city/alpha/?industry=I&sort=name#records",
    "/city/alpha/?industry=I&sort=last_observed#records",
  ]);
  expect(linksOf(text)).toContain("/city/alpha/?industry=I#records"); // by rank, which is the order unless one asks
  expect(await page("")).toMatch(/aria-sort="ascending">\s*<a class="sort" id="city-sort-rank"/);
});

test("the records on the page are a file of the same arguments", async () => {
  const text = await page("industry=I&sort=name");
  expect(linksOf(text)).toContain("/city/alpha/records.csv?industry=I&sort=name&limit=10");
  expect(text).toContain("terms of the service");
});

test("the form has what was chosen, the industries that the city has, and every order", async () => {
  const query = {
    industry: "56",
    sort: "name",
    online_presence: "none",
    ranking_state: "integrity_review",
    claim_status: "claimed",
  };
  const form = await formFor(city, context, { path: { city: "alpha" }, query });
  const chosen = [...form.matchAll(/<option value="([^"]*)" selected>/g)].map(([, value]) => value);
  expect(chosen).toEqual(["56", "none", "integrity_review", "claimed", "name"]);
  for (const state of [...RankingState.exclude(["outside_ranking"]).options, ...ClaimState.options])
    expect(form).toContain(`value="${state}"`);
  for (const sort of CitySort.options) expect(form).toContain(`value="${sort}"`);
  expect(form).toMatch(
    /<optgroup label="Wholesale[^"]*">\s*<option value="G">All of: [^<]* \(115\)<\/option>/,
  );
  expect(form).toContain("(230)");
  expect(form).not.toContain('value="A"');
});

test("nothing found is never evidence of absence, and an empty city says so, too", async () => {
  const nothing = await page("industry=A");
  expect(nothing).toContain("never proves absence");
  expect(nothing).toContain("not evidence of absence");
  expect(await page("claim_status=claimed")).toContain("Remove a filter to see more records.");
  const empty = fakeContext({ cities: [fakeCity(1, "Alpha")], records: [] });
  expect(await questionPart(city, empty, { path: { city: "alpha" }, query: {} })).toContain(
    "says nothing about what is there",
  );
});

test.each([
  ["industry=zzz", 400, /^industry must/],
  ["sort=size", 400, /^sort must/],
  ["online_presence=maybe", 400, /^online_presence must/],
  ["ranking_state=eligible", 400, /ranking_state .*insufficient_evidence/],
  ["claim_status=verified", 400, /claim_status .*unclaimed/],
  ["industry=I&industry=G", 400, /only once/],
  ["cursor=abc", 400, /malformed/],
])("%s is refused", async (query, status, message) => {
  await expect(page(query)).rejects.toThrow(
    expect.objectContaining({ status, message: expect.stringMatching(message) }),
  );
});

test("a cursor of other filters is refused, and one of a release that is gone is a 410", async () => {
  const cursor = nextOf(await page(""))?.replace(/^.*cursor=|#.*$/g, "");
  await expect(page(`industry=I&cursor=${cursor}`)).rejects.toThrow(/other filters/);
  const newer = fakeContext({ cities: [fakeCity(1, "Alpha", { snapshotId: crypto.randomUUID() })], records });
  const input = { path: { city: "alpha" }, query: { cursor: cursor ?? "" } };
  expect(() => city.answer(newer, input)).toThrow(expect.objectContaining({ status: 410 }));
});
