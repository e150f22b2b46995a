import { expect, test } from "vitest";
import { parseUntrustedJson } from "../../kernel/text/untrusted-json.ts";
import { fakeContext } from "../../testing/release/fake-snapshot.ts";
import { checkBusinessReality } from "./check-business-reality.ts";
import { checkPhysicalEvidence } from "./check-physical-evidence.ts";
import { cityIndex } from "./city-index.ts";
import { comparePresence } from "./compare-presence.ts";
import type { Tool } from "./define-tool.ts";
import { getPhysicalPresence } from "./get-physical-presence.ts";
import { getPulse } from "./get-pulse.ts";
import { ToolError } from "./tool-error.ts";

/** Arguments that do not fit are refused before anything is read. */

const context = fakeContext();

function refusal(tool: Tool, given: unknown): string {
  try {
    tool.call(context, given);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return error instanceof ToolError ? error.message : "";
  }
  throw new Error("the arguments were accepted");
}

test("a refusal names the tool, the argument and what is wanted", () => {
  expect(refusal(cityIndex, { city: "alpha", limit: 0 })).toMatchInlineSnapshot(
    `"city_index: argument limit: Too small: expected number to be >=1. Arguments: city, limit, industry, online_presence, ranking_state, claim_status, cursor."`,
  );
  expect(refusal(cityIndex, { city: "alpha", limt: 5 })).toMatchInlineSnapshot(
    `"city_index: unknown argument limt. Arguments: city, limit, industry, online_presence, ranking_state, claim_status, cursor."`,
  );
  expect(refusal(checkPhysicalEvidence, { business_name: " ", city: 5 })).toMatchInlineSnapshot(
    `"check_physical_evidence: argument business_name: must not be blank; argument city: Invalid input: expected string, received number. Arguments: business_name, public_id, city."`,
  );
  expect(refusal(comparePresence, { business_names: ["a", 5], city: "alpha" })).toMatchInlineSnapshot(
    `"compare_presence: argument business_names.1: Invalid input: expected string, received number. Arguments: business_names, city."`,
  );
  const hostile = '{"business_names":[{"length":{"toString":null}}],"city":"alpha"}';
  expect(refusal(comparePresence, parseUntrustedJson(hostile))).toMatchInlineSnapshot(
    `"compare_presence: argument business_names.0: Invalid input: expected string, received object; argument business_names.0: must not be blank; argument business_names.0: Too big: expected unknown to be <=200; argument business_names: Too small: expected array to have >=2 items. Arguments: business_names, city."`,
  );
  expect(refusal(getPulse, { city: "alpha", since: "yesterday" })).toMatchInlineSnapshot(
    `"get_pulse: argument since: must be an ISO 8601 date or time. Arguments: city, since, cursor."`,
  );
});

test.each([
  [getPhysicalPresence, "business_name"],
  [checkPhysicalEvidence, "business_name"],
  [checkBusinessReality, "name_or_address"],
])("%# takes either a name or a public_id", (tool, argument) => {
  const wanted = `Arguments: ${argument}, public_id, city.`;
  const { name } = tool.contract;
  expect(refusal(tool, { city: "alpha" })).toBe(
    `${name}: pass either ${argument} or public_id (got neither). ${wanted}`,
  );
  expect(refusal(tool, { [argument]: "Alpha", public_id: "demo_1", city: "alpha" })).toBe(
    `${name}: pass either ${argument} or public_id (got both). ${wanted}`,
  );
  for (const public_id of ["", "a b", "../etc", "x".repeat(81), "demo_é", 5, null])
    expect(refusal(tool, { public_id, city: "alpha" })).toContain(`${name}: argument public_id: `);
  expect(refusal(tool, { public_id: "demo_1" })).toBe(`${name}: argument city is missing. ${wanted}`);
});

test.each([undefined, null, {}])("without arguments (%o) it names the first that is missing", (given) => {
  expect(refusal(getPulse, given)).toMatchInlineSnapshot(
    `"get_pulse: argument city is missing. Arguments: city, since, cursor."`,
  );
});

test.each([5, "x", [], ["guelph"], true])("arguments that are no object: %o", (given) => {
  expect(refusal(getPulse, given)).toBe(
    "get_pulse: the arguments must be an object. Arguments: city, since, cursor.",
  );
});

test.each([101, "5", 1.5, -1, Number.MAX_VALUE, null, [5]])("limit %o is refused", (limit) => {
  expect(refusal(cityIndex, { city: "alpha", limit })).toMatch(/^city_index: argument limit: /);
});

test.each(["", "has space", "x".repeat(1025), 5])("cursor %o is refused", (cursor) => {
  expect(refusal(cityIndex, { city: "alpha", cursor })).toMatch(/^city_index: argument cursor: /);
});

test.each([1, 11])("compare_presence of %i names is refused", (count) => {
  const business_names = Array.from({ length: count }, (_, at) => `Record ${at}`);
  expect(refusal(comparePresence, { business_names, city: "alpha" })).toMatch(
    /^compare_presence: argument business_names: /,
  );
});

test("names of objects' own members are unknown arguments like any other", () => {
  const given: unknown = JSON.parse('{"city":"alpha","__proto__":{"limit":5},"constructor":1}');
  expect(refusal(cityIndex, given)).toMatch(/unknown argument .*constructor/);
});

test("a refusal stays short, however much is wrong", () => {
  const wrong = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`argument_${at}`, 1]));
  expect(refusal(comparePresence, wrong).length).toBeLessThan(1000);
  const business_names = Array.from({ length: 10 }, () => "x".repeat(201));
  expect(refusal(comparePresence, { business_names, city: "alpha" }).length).toBeLessThan(1000);
});
