import { describe, expect, test } from "vitest";
import { robotsTxt, securityTxt } from "./text-files.ts";

describe("robots", () => {
  const text = robotsTxt("https://presence.test");

  /** RFC 9309 2.2.2: the longest rule that matches decides, an equal one in favour of reading. */
  function mayRead(path: string): boolean {
    const rules = [...text.matchAll(/^(Allow|Disallow): (\S+)$/gm)].filter(([, , rule = ""]) =>
      pattern(rule).test(path),
    );
    const longest = Math.max(...rules.map(([, , rule = ""]) => rule.length));
    return rules.some(([, verb, rule = ""]) => rule.length === longest && verb === "Allow");
  }

  function pattern(rule: string): RegExp {
    const escaped = rule.replace(/[.+?^{}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    return new RegExp(`^${escaped}`);
  }

  test.each([
    "/",
    "/city/guelph/",
    "/record/demo_1/",
    "/api/v1/entity/demo_1/evidence",
    "/api/v1/search",
    "/openapi.json",
    "/mcp/contract.json",
    "/mcp/server-card",
    "/.well-known/ai-catalog.json",
    "/llms.txt",
    "/verify/?row=5",
    "/explorer/",
  ])("%s may be read", (path) => {
    expect(mayRead(path)).toBe(true);
  });

  test.each([
    "/api/v1/search?name=a",
    "/api/v1/explorer.csv?city=guelph",
    "/api/v1/city/a/index?cursor=x",
    "/mcp",
    "/search/",
    "/search/?name=a",
    "/city/guelph/?industry=I",
  ])("%s is not for crawlers", (path) => {
    expect(mayRead(path)).toBe(false);
  });

  test("it is for everybody, and leads to the sitemap", () => {
    expect(text.match(/^User-agent: .*$/gm)).toEqual(["User-agent: *"]);
    expect(text).toMatch(/^Sitemap: https:\/\/presence\.test\/sitemap\.xml$/m);
  });
});

describe("security txt", () => {
  const asOf = Date.parse("2026-06-30T12:00:00.500Z");

  test("has what RFC 9116 requires, each once, and ends 180 days after the release", () => {
    expect(securityTxt("mailto:security@presence.test", { baseUrl: "https://presence.test", asOf })).toBe(
      `Contact: mailto:security@presence.test
Expires: 2026-12-27T12:00:00Z
Preferred-Languages: en
Canonical: https://presence.test/.well-known/security.txt
`,
    );
  });

  test("names no canonical address that the RFC would not admit", () => {
    expect(
      securityTxt("https://presence.test/report", { baseUrl: "http://127.0.0.1:4321", asOf }),
    ).not.toContain("Canonical");
  });
});
