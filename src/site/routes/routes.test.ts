import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { citation } from "../../resources/citations/citation.ts";
import { resources } from "../../resources/index.ts";
import { observationTable } from "../../resources/records/observation-table.ts";
import { Matcher } from "./matcher.ts";
import { robotsTxt, routes, securityTxt } from "./routes.ts";

describe("routes", () => {
  const context = fakeContext();
  const matcher = new Matcher(routes);
  const matchRoute = (pathname: string) => {
    const match = matcher.match(pathname);
    const [route] = match?.endpoints ?? [];
    return match && route && { route, values: match.values };
  };

  const instances = routes.flatMap((route) =>
    [...route.enumerate(context.snapshot)].map((values) => ({ route, values, file: route.filePath(values) })),
  );

  test("the files of a release, exactly", () => {
    const record = (name: string) => [
      `api/v1/entity/${name}.json`,
      `api/v1/entity/${name}/evidence.json`,
      `api/v1/observations/${name}.json`,
      `api/v1/presence-score/${name}.json`,
    ];
    const city = (slug: string) => [
      `api/v1/city/${slug}/index.json`,
      `api/v1/city/${slug}/accuracy.json`,
      `api/v1/city/${slug}/cells/862b9bc07ffffff.json`,
      `api/v1/coverage-status/${slug}.json`,
      `api/v1/pulse/${slug}.json`,
      `exports/cells/${slug}.geojson`,
      `pulse/${slug}/rss.xml`,
      `pulse/${slug}/atom.xml`,
      `pulse/${slug}/feed.json`,
      `city/${slug}/records.csv`,
    ];
    const expected = [
      ...["demo_1", "demo_2", "demo_3", "demo_4", "demo_5"].flatMap(record),
      ...[...citation.enumerate(fakeContext().snapshot)].map(({ id }) => `api/v1/citation/${id}.json`),
      ...["alpha", "beta"].flatMap(city),
      ".well-known/ai-catalog.json",
      ".well-known/security.txt",
      "api-examples.json",
      "api/v1/cities.json",
      "api/v1/explorer.csv",
      "api/v1/independence.json",
      "api/v1/ledger-checkpoints.json",
      "api/v1/locations/cities.json",
      "api/v1/machine-activity.json",
      "api/v1/methodology/metrics.json",
      "api/v1/search-ai-readiness.json",
      "api/v1/search.json",
      "api/v1/status.json",
      "api/v1/taxonomy/industries.json",
      "api/v1/withdrawals.json",
      "exports/LICENSE.txt",
      "exports/city-coverage.csv",
      "exports/datapackage.json",
      "exports/explorer.csv",
      "exports/stac.json",
      "llms.txt",
      "mcp/contract.json",
      "mcp/server-card",
      "openapi.json",
      "pulse/atom.xml",
      "pulse/feed.json",
      "pulse/rss.xml",
      "robots.txt",
      "search/records.csv",
      "server.json",
      "sitemap-1.xml",
      "sitemap-pages.xml",
      "sitemap.xml",
      "status/atom.xml",
      "status/feed.json",
      "status/rss.xml",
    ];
    expect(instances.map(({ file }) => file).sort()).toEqual(expected.sort());
  });

  test("the address of each file finds its own route again", () => {
    for (const { route, values, file } of instances) {
      const match = matchRoute(`/${file.replace(/\.json$/, route.path.endsWith(".json") ? ".json" : "")}`);
      expect(match).toEqual({ route, values });
    }
  });

  test("every route answers each of its files, twice with the same bytes", () => {
    for (const { route, values } of instances) {
      const body = route.answer(context, values, {});
      expect(body).toMatch(/\n$/);
      expect(route.answer(context, values, {})).toBe(body);
    }
  });

  test("every resource has one route, which alone decides about unknown parameters", () => {
    const paths = routes.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const { path } of resources) expect(paths.filter((other) => other === path)).toHaveLength(1);
    for (const { path, ignoresUnknownQuery } of routes)
      expect(ignoresUnknownQuery).toBe(
        !/^\/api\/|\/records\.csv$/.test(path) && path !== observationTable.path,
      );
  });

  test("without a contact there is no security.txt, and nothing stands in for it", () => {
    const bare = fakeContext({ release: { ...release, securityContact: null } });
    const route = routes.find(({ path }) => path === "/.well-known/security.txt");
    expect([...(route?.enumerate(bare.snapshot) ?? [{}])]).toEqual([]);
    expect(() => route?.answer(bare, {}, {})).toThrow("not found");
  });

  test.each(["/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-x.xml"])(
    "%s is a part that is not there",
    (path) => {
      const match = matchRoute(path);
      expect(() => match?.route.answer(context, match.values, {})).toThrow("not found");
    },
  );

  test.each([
    "/",
    "/api/v1",
    "/api/v1/",
    "/api/v1/entity/",
    "/api/v1/entity/a/b",
    "/api/v1/entity/..",
    "/api/v1/entity/%2e%2e",
    "/api/v1/entity/%E0%A4%A",
    "/api/v1/entity//evidence",
    "/pulse/feed.json/",
    "/pulse//rss.xml",
    "/api/v1/search/",
    "/API/V1/search",
  ])("%s is no route", (pathname) => {
    expect(matchRoute(pathname)).toBeUndefined();
  });

  test("a percent-encoded name is decoded once", () => {
    expect(matchRoute("/api/v1/coverage-status/S%C3%A3o%2520Paulo")?.values).toEqual({ city: "São%20Paulo" });
  });

  test("no path breaks the look-up", () => {
    const path = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("api", "v1", "entity", "pulse", "%", "..", "rss.xml")),
    );
    fc.assert(
      fc.property(path, (segments) => {
        const match = matchRoute(`/${segments.join("/")}`);
        for (const value of Object.values(match?.values ?? {})) expect(value).not.toMatch(/^\.{0,2}$/);
      }),
    );
  });
});

describe("text files", () => {
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
});
