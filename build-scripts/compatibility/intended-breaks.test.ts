import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { contractFaults, IntendedBreaks } from "./intended-breaks.ts";

const gone = { path: "REST #/paths/~1a/get", change: "removed" };
const listed = { ...gone, reason: "Nobody could use it.", api_version: "1.3.0" };

test("a break that is listed passes", () => {
  expect(contractFaults([gone], [listed], "1.3.0", "1.2.0")).toEqual([]);
});

test.each([
  ["another path", { ...gone, path: "REST #/paths/~1b/get" }],
  ["another change at the same path", { ...gone, change: "updated: Type changed." }],
])("a break that is not listed fails: %s", (_, other) => {
  expect(contractFaults([gone, other], [listed], "1.3.0", "1.2.0")).toEqual([
    `breaking: ${other.path}: ${other.change}`,
  ]);
});

test("an entry that is no break any more fails", () => {
  expect(contractFaults([], [listed], "1.3.0", "1.2.0")).toEqual([
    "intended, but no break: REST #/paths/~1a/get: removed",
  ]);
});

test("an entry of another API version fails: raising the version silences nothing", () => {
  expect(contractFaults([gone], [listed], "2.0.0", "1.2.0")).toEqual([
    "intended in API version 1.3.0, and this is 2.0.0: REST #/paths/~1a/get: removed",
  ]);
});

test("breaks in the version that was released fail", () => {
  expect(contractFaults([gone], [listed], "1.3.0", "1.3.0")).toEqual([
    "API version 1.3.0 is released without the breaks that are listed: raise API_VERSION",
  ]);
});

test("the list of this tree can be read", () => {
  const file = new URL("../../fixtures/released/intended-breaks.json", import.meta.url);
  expect(() => IntendedBreaks.parse(JSON.parse(readFileSync(file, "utf8")))).not.toThrow();
});
