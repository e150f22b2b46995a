import { expect, test } from "vitest";
import { mcpContract } from "../../src/render/reference/mcp.ts";
import { toolExamples } from "../../src/render/reference/tool-examples.ts";
import { removalWarnings } from "./removal-dates.ts";

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
