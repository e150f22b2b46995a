import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  listedTool,
  MCP_INSTRUCTIONS,
  type PublishedTool,
  publishedTool,
  TOOLS,
} from "../../contract/mcp/tools.ts";
import { tools } from "./tools.ts";

/** What makes a model choose the right tool and call it right; the texts are all that it sees. */

const published = TOOLS.map(publishedTool);
const names = TOOLS.map(({ name }) => name);

test("every tool of the contract is there, in its order", () => {
  expect(tools.map(({ contract }) => contract)).toEqual(TOOLS);
});

const Node = z.looseObject({ description: z.string().optional() });
const Properties = z.looseObject({ properties: z.record(z.string(), Node) });

function parameters({ inputSchema }: PublishedTool) {
  return Object.entries(Properties.parse(inputSchema).properties);
}

describe.each(published)("$name", (tool) => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const { deprecated } = TOOLS.find((contract) => contract.name === name) ?? {};

  test("has a name that every client takes, and a title for people", () => {
    expect(name).toMatch(/^[a-z][a-z_]{2,63}$/);
    expect(title).toMatch(/^[A-Z].{9,59}$/);
    expect(title.toLowerCase()).not.toBe(name.replaceAll("_", " "));
  });

  test("says all four hints", () => {
    expect(annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  test("says what it does, when to use it and what to use instead", () => {
    const others = names.filter((other) => other !== name && description.includes(other));
    const ownArguments = parameters(tool).map(([argument]) => argument);
    expect(description.length).toBeGreaterThan(150);
    expect(description.length).toBeLessThan(700);
    expect(others).not.toEqual([]);
    expect(description).toMatch(deprecated === undefined ? /\bUse it\b/ : /^\[DEPRECATED, use /);
    for (const other of description.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? [])
      expect([...names, ...ownArguments, "coverage_context", "next_cursor", "has_more"]).toContain(other);
  });

  test("describes each parameter in words of its own", () => {
    for (const [parameter, { description: text = "" }] of parameters(tool)) {
      expect(text, parameter).toMatch(/^[A-Z\d`].{15,}\.|^`?\w.{15,}/);
      expect(text.toLowerCase()).not.toBe(parameter.replaceAll("_", " "));
    }
  });

  test("has schemas of objects without choices at the top, which some clients cannot read", () => {
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema["type"]).toBe("object");
      expect(Object.keys(schema)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(any|all|one)Of$/)]),
      );
    }
    expect(inputSchema["additionalProperties"]).toBe(false);
    expect(outputSchema["required"]).toEqual(expect.arrayContaining(["coverage_context", "data_as_of"]));
  });
});

test("no two tools say the same", () => {
  const firsts = published.map(({ description }) => description.split(". ")[0]);
  expect(new Set(firsts).size).toBe(TOOLS.length);
  expect(new Set(published.map(({ title }) => title)).size).toBe(TOOLS.length);
});

test("the instructions lead to every tool but the deprecated one, and are short", () => {
  for (const { name, deprecated } of TOOLS)
    expect(MCP_INSTRUCTIONS.includes(name), name).toBe(deprecated === undefined);
  expect(MCP_INSTRUCTIONS.length).toBeLessThan(800);
});

test("the list is small enough for a model to hold", () => {
  expect(JSON.stringify(TOOLS.map(listedTool)).length).toBeLessThanOrEqual(4000 * 4);
});
