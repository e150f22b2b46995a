import { z } from "zod";
import type { JsonObject, JsonValue } from "../kernel/text/json.ts";

type Schemas = { readonly [name: string]: JsonObject };

/**
 * Converts the output side of zod schemas to JSON Schema (2020-12) for an OpenAPI document. `components` has the schemas with a
 * `.meta` id, which reference each other as `#/components/schemas/<id>`; `schemas` has the input by key, as references where possible.
 */
export function jsonSchemas(shape: z.ZodRawShape) {
  const document = z.toJSONSchema(z.object(shape), {
    target: "draft-2020-12",
    io: "output",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return { components: plain(document.$defs ?? {}), schemas: plain(document.properties ?? {}) };
}

/** Removes keywords that clients must not rely on. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // New fields must not break clients, so all objects stay open.
  const { additionalProperties: open } = schema;
  if (open === false) delete schema.additionalProperties;
  if (typeof open === "object" && Object.keys(open).length === 0) schema.additionalProperties = true;
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function plain(schemas: { readonly [name: string]: unknown }): Schemas {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Converts one zod schema to a self-contained JSON Schema, with named parts inlined. */
export function inlineJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...document } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    override: ({ jsonSchema }) => (io === "output" ? simplify(jsonSchema) : undefined),
  });
  const { $defs, ...root }: { $defs?: Schemas } & JsonObject = JSON.parse(JSON.stringify(document));
  return inlinedObject(root, $defs ?? {});
}

function inlinedObject({ $ref, ...rest }: JsonObject, definitions: Schemas): JsonObject {
  if (typeof $ref === "string")
    return inlinedObject({ ...definitions[$ref.replace("#/$defs/", "")], ...rest }, definitions);
  return Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) => portable(key, inlined(value, definitions))),
  );
}

/** Rewrites keywords that some clients cannot read: type lists, and redundant `additionalProperties`. */
function portable(key: string, value: JsonValue): [string, JsonValue][] {
  if (key === "additionalProperties" && value === true) return [];
  if (key === "type" && isList(value)) return [["anyOf", value.map((type) => ({ type }))]];
  return [[key, value]];
}

function inlined(value: JsonValue, definitions: Schemas): JsonValue {
  if (value === null || typeof value !== "object") return value;
  return isList(value) ? value.map((item) => inlined(item, definitions)) : inlinedObject(value, definitions);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
