import { describe, expect, test } from "vitest";
import { API_VERSION } from "../../src/contract/versions.ts";
import type { JsonObject } from "../../src/kernel/text/canonical-json.ts";
import { mcpContract } from "../../src/render/reference/mcp.ts";
import { openApiDocument } from "../../src/render/reference/openapi.ts";
import { toolExamples } from "../../src/render/reference/tool-examples.ts";
import { breakingChanges, type Contracts } from "./breaking-changes.ts";

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
  ["an operation goes", "openapi", (key, value) => (key === "/api/v1/cities" ? undefined : value), /cities/],
  [
    "a tool goes",
    "mcp",
    (key, value) => (key === "tools" && isList(value) ? value.slice(1) : value),
    /get_physical_presence/,
  ],
  ["an argument goes", "mcp", (key, value) => (key === "business_name" ? undefined : value), /business_name/],
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
