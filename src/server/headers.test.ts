import { expect, test } from "vitest";
import { FEED_TYPE } from "../render/rss.ts";
import {
  dynamicHeaders,
  fileHeaders,
  passingJsonHeaders,
  refusedPageHeaders,
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
