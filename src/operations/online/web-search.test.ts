import { expect, test } from "vitest";
import { subject, TestSite } from "../../../tests/support/servers/web.ts";
import { Secret } from "../../kernel/secret.ts";
import {
  braveSearch,
  fileSearch,
  nameMatches,
  phoneMatches,
  queryFor,
  type SearchApi,
  searchProvider,
} from "./web-search.ts";

const KEY = "secret-key-of-the-plan";
const page = (title: string, url: string, description = "") => ({ title, url, description });

test("only pages with the name and the city are about the business, each by its kind", () => {
  const results = [
    page("Corner Bakery House - Avalon", "https://www.facebook.com/cornerbakery"),
    page("Corner Bakery House | Best Bakeries in Avalon", "https://www.yelp.com/biz/corner"),
    page("The Corner Bakery House, Inc.", "https://cornerbakeryhouse.com/", "Bread in Avalon since 1990"),
    page("Home", "https://www.cornerbakeryhouse.com/avalon/contact"),
    page("Map: Corner Bakery House, Avalon", "https://www.google.com/maps/place/x"),
    page("News of Avalon: Corner Bakery House opens", "https://news.example.com/1"),
    page("Corner Bakery House in Camelot", "https://www.yelp.com/biz/other"), // another city
    page("Corner Hardware of Avalon", "https://hardware.example.com/"), // another name
    page("Corner Bakery House Avalon", "javascript:alert(1)"),
    page("Corner Bakery House Avalon", "no address"),
  ];
  const finding = nameMatches(subject(), results);
  expect(finding).toEqual({
    signal: "name_search",
    outcome: "found",
    types: ["social_profile", "directory_listing", "website", "maps_listing", "other"],
    matches: 6,
  });
  expect(nameMatches(subject(), results.slice(6))).toMatchObject({ outcome: "absent" });
  expect(nameMatches(subject({ name: "###" }), results)).toMatchObject({ outcome: "absent" });
});

test("a number is found however it is written, and not within another", () => {
  const phone = { number: "+1 555 010 2233", digits: "5550102233" };
  const found = (description: string) =>
    phoneMatches(subject({ phone }), [page("", "https://a.example.com/", description)]).outcome;
  for (const text of ["(555) 010-2233", "call +1.555.010.2233 now", "Tel 555 0102233"])
    expect(found(text), text).toBe("found");
  for (const text of ["555 010 2234", "55501022339", ""]) expect(found(text), text).toBe("absent");
  const short = subject({ phone: { number: "0102233", digits: "102233" } });
  expect(phoneMatches(short, [page("102233", "https://a.example.com/")]).outcome).toBe("absent");
});

test("numbers are looked up only where the operator allows it, and a name cannot end its quotation", () => {
  const api: SearchApi = { name: "x", search: async () => ({ kind: "results", results: [] }) };
  expect(searchProvider(api, { phones: false }).signals).toEqual(["name_search"]);
  expect(searchProvider(api, { phones: true }).signals).toEqual(["name_search", "phone_lookup"]);
  expect(queryFor(subject({ name: 'The "Best" Shop' }), "name_search")).toBe('"The  Best  Shop" Avalon');
});

function brave(site: TestSite, timeoutMs = 1000): SearchApi {
  return braveSearch({
    url: site.url("/res/v1/web/search"),
    key: new Secret(KEY),
    userAgent: "test",
    timeoutMs,
    pause: async () => undefined,
  });
}

test("Brave is asked as its reference says, and its answer read", async () => {
  await using site = await TestSite.start();
  const tokens: unknown[] = [];
  site.answer = (request, response) => {
    tokens.push(request.headers["x-subscription-token"]);
    const results = [{ title: "A", url: "https://a.example/", description: "b", age: "x" }];
    response.end(JSON.stringify({ type: "search", query: {}, web: { type: "search", results } }));
  };
  expect(await brave(site).search('"Corner" Avalon & more')).toEqual({
    kind: "results",
    results: [{ title: "A", url: "https://a.example/", description: "b" }],
  });
  expect(tokens).toEqual([KEY]);
  const asked = new URL(site.asked[0] ?? "", site.url());
  expect(asked.pathname).toBe("/res/v1/web/search");
  expect(asked.searchParams.get("q")).toBe('"Corner" Avalon & more');
  expect(Number(asked.searchParams.get("count"))).toBeLessThanOrEqual(20);
  site.answer = (_, response) => response.end('{"type":"search","query":{}}');
  expect(await brave(site).search("x")).toEqual({ kind: "results", results: [] });
});

test.each([401, 403, 422, 429, 500, 503])(
  "an answer of %i ends the asking, and the key is in no error",
  async (status) => {
    await using site = await TestSite.start();
    site.answer = (_, response) => response.writeHead(status).end(`{"error":"${KEY}"}`);
    const error = await brave(site)
      .search("x")
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: "ProviderUnavailable",
      message: expect.stringContaining(String(status)),
    });
    expect(String(error instanceof Error ? error.stack : error)).not.toContain(KEY);
  },
);

test("a search API that is slow, cut off or leads elsewhere ends the asking; one that lies fails the search", async () => {
  await using site = await TestSite.start();
  await using other = await TestSite.start();
  site.answer = () => undefined;
  await expect(brave(site, 100).search("x")).rejects.toThrow("no answer in time");
  site.answer = (request) => request.socket.destroy();
  await expect(brave(site).search("x")).rejects.toThrow("could not be asked");
  site.answer = (_, response) => response.writeHead(302, { location: other.url() }).end();
  await expect(brave(site).search("x")).rejects.toThrow("could not be asked");
  expect(other.asked).toEqual([]);
  for (const body of [
    "",
    "<html>",
    "[]",
    '{"web":{"results":[]}}',
    '{"type":"search","web":{"results":[{"title":1}]}}',
  ]) {
    site.answer = (_, response) => response.end(body);
    expect((await brave(site).search("x")).kind, body).toBe("failed");
  }
  site.answer = (_, response) => response.end(`{"type":"search","x":"${"y".repeat(2 * 1024 * 1024)}"}`);
  expect((await brave(site).search("x")).kind).toBe("failed");
});

test("a file answers as it says, and a file of another form is named", async () => {
  const api = fileSearch(JSON.stringify({ x: [page("A", "https://a.example/")] }), "answers.json");
  expect(await api.search("x")).toEqual({ kind: "results", results: [page("A", "https://a.example/")] });
  expect(await api.search("y")).toEqual({ kind: "results", results: [] });
  for (const text of ["", "[]", '{"x":{}}', '{"x":[{"title":"A"}]}'])
    expect(() => fileSearch(text, "answers.json"), text).toThrow("answers.json: expected");
});
