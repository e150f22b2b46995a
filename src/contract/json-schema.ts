import { z } from "zod";
import type { JsonObject, JsonValue } from "../kernel/text/canonical-json.ts";

type Schemas = { readonly [name: string]: JsonObject };

export interface NamedSchemas {
  /** The schemas with a `.meta` id, by that id; they refer to each other as `#/components/schemas/<id>`. */
  readonly components: Schemas;
  /** Each of the given schemas by its key: a reference where it has an id. */
  readonly schemas: Schemas;
}

/** JSON Schema (2020-12) of what the given zod schemas let out, ready for an OpenAPI document. */
export function jsonSchemas(given: z.ZodRawShape): NamedSchemas {
  const made = z.toJSONSchema(z.object(given), {
    target: "draft-2020-12",
    io: "output",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return { components: plain(made.$defs ?? {}), schemas: plain(made.properties ?? {}) };
}

/** What a client must not rely on, or would only stumble over. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // Adding a member breaks no client, so no object is closed.
  const { additionalProperties: open } = schema;
  if (open === false) delete schema.additionalProperties;
  if (typeof open === "object" && Object.keys(open).length === 0) schema.additionalProperties = true;
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function plain(schemas: { readonly [name: string]: unknown }): Schemas {
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** One schema that stands by itself, as a tool publishes it: named parts are written out where they are used. */
export function inlineJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    override: ({ jsonSchema }) => (io === "output" ? simplify(jsonSchema) : undefined),
  });
  const { $defs, ...root }: { $defs?: Schemas } & JsonObject = JSON.parse(JSON.stringify(made));
  return inlinedObject(root, $defs ?? {});
}

function inlinedObject({ $ref, ...rest }: JsonObject, definitions: Schemas): JsonObject {
  if (typeof $ref === "string")
    return inlinedObject({ ...definitions[$ref.replace("#/$defs/", "")], ...rest }, definitions);
  return Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) => portable(key, inlined(value, definitions))),
  );
}

/** Some clients know no list of types; and that a schema is open goes without saying. */
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
