import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { CITY_TABLES_WITHHELD } from "../contract/service/city-tables.ts";
import { releasePaths } from "../kernel/home.ts";
import { canonicalCity } from "./answer-public.ts";

describe("canonical city", () => {
  const FILES = new Set([
    "/city/guelph/",
    "/city/guelph/cells/",
    "/pulse/guelph/rss.xml",
    "/exports/cells/guelph.geojson",
  ]);
  const files = { load: async (path: string) => (FILES.has(path) ? path : undefined) };

  test.each([
    ["/city/Guelph/", "", "/city/guelph/"],
    ["/city/GUELPH", "sort=name", "/city/guelph/?sort=name"],
    ["/city/GUELPH/cells", "", "/city/guelph/cells/"],
    ["/pulse/GuElPh/rss.xml", "", "/pulse/guelph/rss.xml"],
    ["/exports/cells/GUELPH.geojson", "x=%zz", "/exports/cells/guelph.geojson?x=%zz"],
  ])("%s?%s leads to the file", async (pathname, query, location) => {
    expect(await canonicalCity(files, { pathname, query })).toBe(location);
  });

  test.each([
    "/city/guelph/",
    "/city/Atlantis/",
    "/city/guelph/Cells/",
    "/City/guelph/",
    "/record/GUELPH/",
    "/api/v1/city/GUELPH/index",
    "/city/",
    "//evil.example/City",
    "/city//Guelph/",
  ])("%s is left as it is", async (pathname) => {
    expect(await canonicalCity(files, { pathname, query: "" })).toBeUndefined();
  });
});

describe("merged record", () => {
  test("the page of a merged record is a 301 to the one that stays, its JSON a 404 that names it", async () => {
    using site = new TestSite();
    const [bravo, alpha] = [7, 2]; // after the city; each with a naming, an asset and two observations
    site.town.review("merge", bravo, { into: alpha });
    const page = join(releasePaths(site.publish()).site, "record", "demo_bravo", "index.html");
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, "<!doctype html><title>for plain files</title>");
    const server = await site.serve();
    const get = (path: string, method = "GET") => fetch(server.url + path, { method, redirect: "manual" });
    // More than once, because what was answered from a file before is kept in memory.
    for (const path of [
      "/record/demo_bravo/",
      "/record/demo_bravo",
      "/record/demo_bravo/",
      "/record/demo%5Fbravo/?x=1",
    ]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get("location")]).toEqual([
        path,
        301,
        "/record/demo_alpha/",
      ]);
    }
    expect((await get("/record/demo_bravo/", "HEAD")).status).toBe(301);
    expect((await get("/record/demo_bravo/", "POST")).status).toBe(405);
    expect((await get("/record/nobody/")).status).toBe(404);
    expect((await get("/record/%2e%2e%2f/")).status).toBe(404);
    const json = await get("/api/v1/entity/demo_bravo");
    expect([json.status, await json.json()]).toEqual([
      404,
      {
        error: "this record was merged into another one: see merged_into",
        code: "record_merged",
        merged_into: "demo_alpha",
      },
    ]);
    await server.stop();
  });
});

describe("the tables of a city", () => {
  test("are 410 while an erasure keeps them away, and 404 where no city is", async () => {
    using site = new TestSite();
    const folder = join(releasePaths(site.publish()).site, "exports/city/alpha");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "index.json"), "{}");
    writeFileSync(join(folder, "assets.csv.gz"), "packed");
    const server = await site.serve();
    const get = (path: string) => fetch(`${server.url}/exports/city/${path}`);
    const there = await get("alpha/assets.csv.gz");
    expect([there.status, there.headers.get("content-type")]).toEqual([200, "application/gzip"]);
    expect(there.headers.get("cache-control")).not.toContain("immutable");
    const away = await get("alpha/records.parquet");
    expect([away.status, await away.json()]).toMatchObject([410, { error: CITY_TABLES_WITHHELD }]);
    for (const path of ["alpha/other.parquet", "beta/records.parquet", "alpha/x/records.parquet"])
      expect((await get(path)).status).toBe(404);
    await server.stop();
  });
});
