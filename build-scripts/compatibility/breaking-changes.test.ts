import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { API_VERSION } from "../../src/contract/versions.ts";
import type { JsonObject } from "../../src/kernel/text/json.ts";
import { toolExamples } from "../../src/render/reference/examples.ts";
import { mcpContract } from "../../src/render/reference/mcp.ts";
import { openApiDocument } from "../../src/render/reference/openapi.ts";
import {
  breakingChanges,
  type Contracts,
  contractFaults,
  IntendedBreaks,
  removalWarnings,
} from "./breaking-changes.ts";

describe("breaking changes", () => {
  const baseUrl = "https://presence.example";
  const released: Contracts = {
    openapi: openApiDocument(baseUrl, "released"),
    mcp: mcpContract({ baseUrl, sourceRevision: "released", examples: toolExamples() }),
  };

  type Change = (key: string, value: unknown) => unknown;

  /** The released contracts with a change made wherever `change` makes one; undefined takes a member away. */
  function changed(which: keyof Contracts, change: Change): Contracts {
    const copy: JsonObject = JSON.parse(JSON.stringify(released[which]), change);
    expect(copy).not.toEqual(released[which]);
    return { ...released, [which]: copy };
  }

  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

  /** Takes a value out of every list of names that has it. */
  const without =
    (name: string): Change =>
    (_key, value) =>
      isList(value) ? value.filter((item) => item !== name) : value;

  const named = (value: unknown, name: string) =>
    typeof value === "object" && value !== null && "name" in value && value.name === name;

  const breaking: [what: string, which: keyof Contracts, change: Change, text: RegExp][] = [
    [
      "a member leaves an answer",
      "openapi",
      (key, value) => (key === "cohort_percentile" ? undefined : value),
      /cohort_percentile/,
    ],
    ["a member may be missing", "openapi", without("data_as_of"), /data_as_of/],
    [
      "an operation goes",
      "openapi",
      (key, value) => (key === "/api/v1/cities" ? undefined : value),
      /cities/,
    ],
    [
      "a tool goes",
      "mcp",
      (key, value) => (key === "tools" && isList(value) ? value.slice(1) : value),
      /get_physical_presence/,
    ],
    [
      "an argument goes",
      "mcp",
      (key, value) => (key === "business_name" ? undefined : value),
      /business_name/,
    ],
    [
      "an argument becomes necessary",
      "mcp",
      (key, value) =>
        key === "required" && isList(value) && value.includes("city") ? [...value, "limit"] : value,
      /limit/,
    ],
    [
      "a result's member changes its type",
      "mcp",
      (key, value) => (key === "total_count" ? { type: "string" } : value),
      /total_count/,
    ],
    [
      "an answer may say what clients do not know",
      "mcp",
      (key, value) =>
        key === "enum" && isList(value) && value.includes("exact_name") ? [...value, "guess"] : value,
      /matched_by.*'guess'/,
    ],
    [
      "a limit is lowered",
      "mcp",
      (key, value) => (key === "requests_per_minute" ? 30 : value),
      /from 60 to 30/,
    ],
    [
      "more names have to be compared",
      "mcp",
      (key, value) => (key === "min" ? 3 : value),
      /compared_names.min/,
    ],
  ];

  const harmless: [what: string, which: keyof Contracts, change: Change][] = [
    [
      "a member is added to every object",
      "openapi",
      (key, value) =>
        key === "properties" && typeof value === "object"
          ? { ...value, new_member: { type: "string" } }
          : value,
    ],
    ["a description is reworded", "mcp", (key, value) => (key === "description" ? "Other words." : value)],
    ["a limit is raised", "mcp", (key, value) => (key === "requests_per_minute" ? 90 : value)],
    [
      "a tool is added",
      "mcp",
      (key, value) => {
        if (key !== "tools" || !isList(value)) return value;
        const first = value.find((tool) => named(tool, "get_pulse"));
        return [...value, { ...Object(first), name: "new_tool" }];
      },
    ],
  ];

  describe.concurrent("a change that breaks clients is told", () => {
    test.each(breaking)("%s", async (_what, which, change, text) => {
      const found = await breakingChanges(released, changed(which, change));
      expect(found.map(({ path, change }) => `${path}: ${change}`).join("\n")).toMatch(text);
    });
  });

  describe.concurrent("a change that breaks nobody is not", () => {
    test.each(harmless)("%s", async (_what, which, change) => {
      expect(await breakingChanges(released, changed(which, change))).toEqual([]);
    });

    test("the same contracts", async () => {
      expect(await breakingChanges(released, released)).toEqual([]);
    });
  });

  test.each(["1.99.0", "2.0.0"])("a version of %s hides no change", async (version) => {
    const next = changed("openapi", (key, value) =>
      key === "paths" ? {} : key === "version" && value === API_VERSION ? version : value,
    );
    const found = await breakingChanges(released, next);
    expect(found.map(({ path }) => path)).toContainEqual(expect.stringContaining("~1api~1v1~1cities"));
  });
});

describe("intended breaks", () => {
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
});

describe("removal dates", () => {
  const contract = {
    deprecations: [{ tool: "old_tool", replacement: "new_tool", removal_after: "2027-11-30" }],
  };
  const warnings = (now: string) => removalWarnings(contract, Date.parse(now));

  test.each(["2026-11-22T00:00:00Z", "2027-09-01T00:00:00Z"])(
    "nothing is said 90 days before and earlier: %s",
    (now) => {
      expect(warnings(now)).toEqual([]);
    },
  );

  test.each([
    ["2027-09-01T00:00:01Z", "comes in 89 days"],
    ["2027-11-30T00:00:00Z", "comes in 0 days"],
    ["2027-11-30T00:00:01Z", "is past"],
    ["2031-01-01T00:00:00Z", "is past"],
  ])("from then on there is a warning: %s", (now, text) => {
    const [warning = "", ...more] = warnings(now);
    expect(more).toEqual([]);
    expect(warning).toContain(`removal_after of the tool old_tool (2027-11-30) ${text}`);
  });

  test("the present contract was ahead of its dates when they were chosen", () => {
    const inputs = {
      baseUrl: "https://presence.example",
      sourceRevision: "released",
      examples: toolExamples(),
    };
    expect(removalWarnings(mcpContract(inputs), Date.parse("2026-11-22T00:00:00Z"))).toEqual([]);
  });
});
