import { join, sep } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isApiPath, sitePath } from "./site-path.ts";

describe("URL path -> file", () => {
  test.each([
    ["/", "index.html"],
    ["/city/toronto/", "city/toronto/index.html"],
    ["/city/toronto", "city/toronto"],
    ["/api/v1/cities", "api/v1/cities.json"],
    ["/api/v1/city/toronto/index", "api/v1/city/toronto/index.json"],
    ["/api/v1/explorer.csv", "api/v1/explorer.csv"],
    ["/pulse/toronto/rss.xml", "pulse/toronto/rss.xml"],
    ["/mcp/contract.json", "mcp/contract.json"],
    ["/mcp/server-card", "mcp/server-card"],
    ["/.well-known/security.txt", ".well-known/security.txt"],
    ["/.well-known/ai-catalog.json", ".well-known/ai-catalog.json"],
    ["/.well-known", undefined],
    ["/.well-known/", undefined],
    ["/.well-known/x/", undefined],
    ["/.well-known/x/y", undefined],
    ["/.well-known/.x", undefined],
    ["/.well-known/..", undefined],
    ["/.well-known/../snapshot.db", undefined],
    ["/.Well-Known/x", undefined],
    ["/.well-knownx/x", undefined],
    ["/..well-known/x", undefined],
    ["/a/.well-known/x", undefined],
    ["/.env", undefined],
    ["/.git/x", undefined],
    ["/api/v1/cities/", undefined],
    ["", undefined],
    ["cities", undefined],
    ["//evil.example", undefined],
    ["//evil.example/", undefined],
    ["/a//b", undefined],
    ["/../snapshot.db", undefined],
    ["/a/../b", undefined],
    ["/./a", undefined],
    ["/.git/config", undefined],
    ["/%2e%2e/snapshot.db", undefined],
    ["/a%2fb", undefined],
    ["/a\\b", undefined],
    ["/a\0b", undefined],
    ["/café", undefined],
    ["/a?b", undefined],
    [`/${"a".repeat(600)}`, undefined],
  ])("%j -> %j", (pathname, path) => {
    expect(sitePath(pathname)).toBe(path);
  });

  test("whatever comes, no path leaves the folder", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("/", ".", "..", ".well-known", "a", "\\", "%2e", "%2f", "~", "-", "\0", "api/v1"),
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string()), (text) => {
        const path = sitePath(`/${text}`);
        if (path !== undefined) expect(join("/site", path).startsWith(`/site${sep}`)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

test("the programs' interface ends at a slash", () => {
  expect(["/api", "/api/", "/api/v1/x", "/mcp"].every(isApiPath)).toBe(true);
  expect(["/", "/apiary/", "/api-examples.json", "/x/api/"].some(isApiPath)).toBe(false);
});
