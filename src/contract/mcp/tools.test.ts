import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { z } from "zod";
import { listedTool, publishedTool, TOOL_ANNOTATIONS, TOOLS } from "./tools.ts";

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);

const ObjectSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.looseObject({})),
});

test.each(TOOLS)("$name is published with schemas that stand by themselves", (tool) => {
  const published = publishedTool(tool);
  expect(Object.keys(published)).toEqual([
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
  ]);
  expect(published.annotations).toBe(TOOL_ANNOTATIONS);
  expect(JSON.stringify(published)).not.toMatch(/"\$(ref|defs|schema)"/);
  expect(Object.keys(ObjectSchema.parse(published.outputSchema).properties)).toEqual(
    Object.keys(tool.output.shape),
  );
});

test.each(TOOLS)("$name is listed with the types of the members alone", (tool) => {
  const { outputSchema: whole, ...published } = publishedTool(tool);
  const { outputSchema, ...listed } = listedTool(tool);
  expect(listed).toEqual(published);
  expect(JSON.stringify(outputSchema)).not.toMatch(/"(description|enum|format)"/);
  const { properties } = ObjectSchema.parse(whole);
  expect(outputSchema.required).toEqual(whole["required"]);
  for (const [name, { type, anyOf }] of Object.entries(outputSchema.properties))
    expect([type, anyOf?.length], name).toEqual([
      properties[name]?.["type"],
      z.array(z.unknown()).optional().parse(properties[name]?.["anyOf"])?.length,
    ]);
});

test.each(TOOLS)("$name: arguments are described, the example fits, and unknown ones are refused", (tool) => {
  const { inputSchema } = publishedTool(tool);
  const { properties } = ObjectSchema.parse(inputSchema);
  for (const property of Object.values(properties)) expect(property["description"]).toMatch(/\w/);
  const validate = ajv.compile(inputSchema);
  expect(validate(tool.example)).toBe(true);
  expect(validate({ ...tool.example, unknown: 1 })).toBe(false);
  const required = z.array(z.string()).parse(inputSchema["required"] ?? []);
  expect(validate({})).toBe(required.length === 0);
});

test("the same contract gives the same bytes", () => {
  const text = () => JSON.stringify(TOOLS.map(publishedTool));
  expect(text()).toBe(text());
});
