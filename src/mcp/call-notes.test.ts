import { expect, test } from "vitest";
import { z } from "zod";
import { fakeContext } from "../../tests/support/release/fake-snapshot.ts";
import { silentLog } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { finishedCalls } from "./call-notes.ts";
import { finishCall } from "./call-tool.ts";

/** Which calls are answered from memory. */

/** Calls over releases that can be exchanged; `hasRun` tells whether the call reads anything. */
function caller(maxBytes?: number) {
  let searches = 0;
  const release = (): ReadContext => {
    const context = fakeContext();
    const { snapshot } = context;
    const search: typeof snapshot.search = (...given) => {
      searches += 1;
      return snapshot.search(...given);
    };
    return { ...context, snapshot: { ...snapshot, search } };
  };
  let context = release();
  const finished = finishedCalls(maxBytes);
  const deps = { context: () => context, log: silentLog, newFailureId: () => "failure", finished };
  const call = (args: object, name = "get_physical_presence") => finishCall(deps, name, args);
  return {
    call,
    hasRun(args: object, name?: string): boolean {
      const before = searches;
      call(args, name);
      return searches > before;
    },
    publish: () => {
      context = release();
    },
  };
}

const ALPHA = { business_name: "Alpha Bakery", city: "alpha" };

test("the same arguments run a tool once a release, in whatever order they come", () => {
  const { call, hasRun, publish } = caller();
  const first = call(ALPHA);
  const turned = { city: "alpha", business_name: "Alpha Bakery" };
  expect([hasRun(turned), call(turned)]).toEqual([false, first]);
  publish();
  expect([hasRun(ALPHA), hasRun(ALPHA), call(ALPHA)]).toEqual([true, false, first]);
});

test("other arguments and other tools have results of their own", () => {
  const { call, hasRun } = caller();
  call(ALPHA);
  expect(hasRun({ ...ALPHA, business_name: "Alpha" })).toBe(true);
  expect(hasRun({ ...ALPHA, city: "ALPHA" })).toBe(true);
  expect(hasRun(ALPHA, "check_physical_evidence")).toBe(true);
  expect(hasRun(ALPHA)).toBe(false);
});

test("arguments that are refused stay refused beside a result that is known", () => {
  const { call } = caller();
  call(ALPHA);
  const shadowed = { ...ALPHA, toString: Object.prototype.toString };
  expect(call(shadowed)).toMatchObject({ note: { isRefused: true } });
  expect(call({ ...ALPHA, more: undefined })).toMatchObject({ note: { isRefused: true } });
});

test("failures are answered anew each time, and so are the pages of a cursor", () => {
  const { call } = caller();
  const failure = call({ ...ALPHA, city: "nowhere" });
  expect(failure?.members).toContain('"isError":true');
  expect(call({ ...ALPHA, city: "nowhere" })).not.toBe(failure);
  const page = { city: "alpha", limit: 1 };
  expect(call(page, "city_index")).toBe(call(page, "city_index"));
  const { next_cursor } = z
    .object({ structuredContent: z.object({ next_cursor: z.string() }) })
    .parse(JSON.parse(`{${call(page, "city_index")?.members}}`)).structuredContent;
  const next = { ...page, cursor: next_cursor };
  expect(call(next, "city_index")).not.toBe(call(next, "city_index"));
});

test("no more is remembered than fits", () => {
  const { hasRun } = caller(20_000);
  const ofNumber = (at: number) => hasRun({ ...ALPHA, business_name: `Number ${at}` });
  for (let at = 0; at < 50; at++) expect(ofNumber(at)).toBe(true);
  expect([ofNumber(49), ofNumber(0)]).toEqual([false, true]);
});
