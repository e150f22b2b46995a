import { expect, test } from "vitest";
import { FEED_TYPE } from "../../render/formats/feeds.ts";
import {
  dynamicHeaders,
  dynamicPageHeaders,
  fileHeaders,
  passingJsonHeaders,
  refusedPageHeaders,
  unchangedPageHeaders,
  validatorHeaders,
} from "./headers.ts";

const file = (path: string) => ({ path, type: "x/y", length: 1, etag: '"e"', encoding: "identity" as const });
const linkOf = (headers: readonly string[]) => headers[headers.indexOf("Link") + 1];

test.each([
  ["a page", fileHeaders(file("city/guelph/index.html"))],
  ["a document", fileHeaders(file("api/v1/cities.json"))],
  ["what has not changed", validatorHeaders(file("api/v1/cities.json"))],
  ["a computed answer", dynamicHeaders("x/y", '"e"', 1)],
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
  expect(fileHeaders(file(path))).not.toContain("Link");
});

test("a feed that a browser shows may load its style and nothing else, as a file and computed", () => {
  const shown = { ...file("pulse/guelph/rss.xml"), type: FEED_TYPE };
  for (const headers of [fileHeaders(shown), dynamicHeaders(FEED_TYPE, '"e"', 1)]) {
    const policy = headers[headers.indexOf("Content-Security-Policy") + 1];
    expect(policy).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  }
  expect(fileHeaders(file("sitemap.xml"))).not.toContain("Content-Security-Policy");
});

test("the search page may ask for the position, and no other page may", () => {
  const allowed = "camera=(), geolocation=(self), microphone=()";
  const of = (headers: readonly string[]) => headers[headers.indexOf("Permissions-Policy") + 1];
  const all = (path: string) =>
    [
      fileHeaders(file(path)),
      validatorHeaders(file(path)),
      refusedPageHeaders(1, path),
      unchangedPageHeaders({ path, etag: '"e"' }),
      dynamicPageHeaders({ path, etag: '"e"', length: 1, isZipped: false }),
    ].map(of);
  expect(new Set(all("search/index.html"))).toEqual(new Set([allowed]));
  for (const path of ["index.html", "city/search/index.html", "search/x/index.html", "404.html"])
    expect(new Set(all(path))).toEqual(new Set(["camera=(), geolocation=(), microphone=()"]));
  expect(of(refusedPageHeaders(1))).toContain("geolocation=()");
});
