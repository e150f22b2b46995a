import { expect, test } from "vitest";
import { FEED_TYPE } from "../../render/formats/feeds.ts";
import {
  fileHeaders,
  fileValidators,
  missingPageHeaders,
  pageValidators,
  passingJsonHeaders,
  preflightHeaders,
  readValidators,
  refusedPageHeaders,
  wholeHeaders,
} from "./headers.ts";

const ETAG = '"e"';
const file = (path: string, type = "x/y") =>
  fileHeaders({ type, length: 1, validators: fileValidators(path, ETAG) });
const computed = (type = "x/y") => wholeHeaders({ type, length: 1, validators: readValidators(ETAG) });
const linkOf = (headers: readonly string[]) => headers[headers.indexOf("Link") + 1];

test.each([
  ["a page", file("city/guelph/index.html")],
  ["a document", file("api/v1/cities.json")],
  ["what has not changed", fileValidators("api/v1/cities.json", ETAG)],
  ["a computed answer", computed()],
  ["an error", passingJsonHeaders(1)],
  ["a missing page", refusedPageHeaders(1)],
])("%s leads to the description of the service", (_, headers) => {
  const relations = [...(linkOf(headers) ?? "").matchAll(/<(\/[^>]*)>; rel="([^"]+)"/g)];
  expect(relations.map(([, path, relation]) => [relation, path])).toEqual([
    ["service-desc", "/openapi.json"],
    ["service-doc", "/agents/"],
    ["describedby", "/methodology/"],
  ]);
});

test.each(["assets/x.css", "ledger/tile/0/000", "exports/explorer.csv"])("%s does not", (path) => {
  expect(file(path)).not.toContain("Link");
});

test("a feed that a browser shows may load its style and nothing else, as a file and computed", () => {
  for (const headers of [file("pulse/guelph/rss.xml", FEED_TYPE), computed(FEED_TYPE)]) {
    const policy = headers[headers.indexOf("Content-Security-Policy") + 1];
    expect(policy).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  }
  expect(file("sitemap.xml")).not.toContain("Content-Security-Policy");
});

test("the search page may ask for the position, and no other page may", () => {
  const allowed = "camera=(), geolocation=(self), microphone=()";
  const of = (headers: readonly string[]) => headers[headers.indexOf("Permissions-Policy") + 1];
  const all = (path: string) =>
    [file(path), fileValidators(path, ETAG), refusedPageHeaders(1, path), pageValidators(path, ETAG)].map(of);
  expect(new Set(all("search/index.html"))).toEqual(new Set([allowed]));
  for (const path of ["index.html", "city/search/index.html", "search/x/index.html", "404.html"])
    expect(new Set(all(path))).toEqual(new Set(["camera=(), geolocation=(), microphone=()"]));
  expect(of(refusedPageHeaders(1))).toContain("geolocation=()");
});

test("browsers of other sites may ask for parts and on conditions, and read what comes of it", () => {
  const namesIn = (headers: readonly string[], name: string) =>
    headers[headers.indexOf(name) + 1]?.split(", ");
  expect(namesIn(preflightHeaders("GET"), "Access-Control-Allow-Headers")).toEqual(
    expect.arrayContaining(["Range", "If-Range", "If-Match", "If-Modified-Since", "If-None-Match"]),
  );
  for (const headers of [
    file("exports/cells.parquet"),
    computed(),
    passingJsonHeaders(1),
    missingPageHeaders(1),
  ])
    expect(namesIn(headers, "Access-Control-Expose-Headers")).toEqual(
      expect.arrayContaining(["Accept-Ranges", "Content-Range", "ETag", "Retry-After"]),
    );
  expect(missingPageHeaders(1)).toContain("Access-Control-Allow-Origin");
  expect(refusedPageHeaders(1)).not.toContain("Access-Control-Allow-Origin");
});
