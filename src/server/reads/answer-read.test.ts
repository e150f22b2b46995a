import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeCity, fakeRecord, release } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { StatusResponse } from "../../contract/service/status.ts";
import { search as searchPage } from "../../site/query/search.ts";
import { routes } from "../../site/routes/routes.ts";
import { routeRead, TimedReads } from "./answer-read.ts";

describe("answer read", () => {
  /** Searches without a result are counted by a mark in the answer. Names that look like the mark do not deceive it. */

  const JSON_MARK = '"results":[]';
  const PAGE_MARK = '<ul class="found">';

  const context = fakeContext({
    cities: [fakeCity(1, "Alpha")],
    records: [fakeRecord(1), fakeRecord(2, { name: `Second ${JSON_MARK}` })],
  });

  const SEARCHES = [
    [{ name: "Record" }, false],
    [{ name: "Second" }, false],
    [{ city: "alpha" }, false],
    [{ name: "nobody has this name" }, true],
    [{ name: `${PAGE_MARK}${JSON_MARK}x` }, true],
    [{ name: "Record", city: "elsewhere" }, true],
  ] as const;

  test.each(SEARCHES)("the read of %j: nothing found is %s", (query, expected) => {
    const route = routes.find(({ path }) => path === "/api/v1/search");
    if (route === undefined) throw new Error("no route");
    expect(routeRead(route, {}, query).foundNothing?.(route.answer(context, {}, query))).toBe(expected);
  });

  test.each(SEARCHES)("the page of %j: nothing found is %s", (query, expected) => {
    expect(searchPage.answered(context, { path: {}, query }).foundNothing).toBe(expected);
  });

  test("other reads are no searches", () => {
    const route = routes.find(({ path }) => path === "/api/v1/cities");
    expect(route && routeRead(route, {}, {}).foundNothing).toBeUndefined();
  });
});

describe("timed reads", () => {
  const route = routes.find(({ path }) => path === "/api/v1/status");
  const served = () => ({
    directory: "r1",
    site: "r1/site",
    publishedAt: undefined,
    context: fakeContext({ release: { ...release, environment: "production" } }),
  });

  test("an answer holds for ten seconds, and for one release", () => {
    if (route === undefined) throw new Error("no route");
    let now = Date.parse("2026-07-01T06:00:00Z");
    const reads = new TimedReads(() => now);
    let looked = 0;
    const first = served();
    const counted = {
      ...first,
      get context() {
        looked += 1;
        return first.context;
      },
    };
    const status = (from = counted) => {
      return StatusResponse.parse(JSON.parse(reads.read(route, {}, {}).text(from)));
    };
    expect(status()).toMatchObject({
      current_status: "operational",
      status_as_of: "2026-07-01T06:00:00Z",
    });
    now += 9999;
    expect(status()).toMatchObject({
      current_status: "operational",
      status_as_of: "2026-07-01T06:00:00Z",
    });
    expect(looked).toBe(1);
    now += 1;
    expect(status()).toMatchObject({ current_status: "degraded", status_as_of: "2026-07-01T06:00:10Z" });
    expect(looked).toBe(2);
    status({ ...counted });
    expect(looked).toBeGreaterThan(2);
  });

  test("a release that is held beside a late one makes that one under review", () => {
    if (route === undefined) throw new Error("no route");
    const releases = mkdtempSync(join(tmpdir(), "releases-"));
    const reads = new TimedReads(() => Date.parse("2026-07-02T06:00:00Z"));
    const isUnderReview = () => {
      const text = reads.read(route, {}, {}).text({ ...served(), directory: join(releases, "r1") });
      return StatusResponse.parse(JSON.parse(text)).under_review;
    };
    expect(isUnderReview()).toBe(false);
    mkdirSync(join(releases, ".held-r2"));
    expect(isUnderReview()).toBe(true);
    rmSync(releases, { recursive: true });
  });
});
