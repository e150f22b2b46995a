import { expect, test } from "vitest";
import { fakeCity, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { routes } from "../../routes/routes.ts";
import { search as searchPage } from "../../site/query/search.ts";
import { routeRead } from "./answer-read.ts";

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
