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

/**
 * Schemas as generators of clients read them best: nothing is said of further members, so that new ones break no validator and a misspelt one
 * does not compile; and `null` is a second type beside a plain one. An object and a reference are alternatives to null: of a list of types,
 * some generators see no members. `hasObjects`: objects have the list all the same, to compare documents.
 */
export function forClients<Schema extends JsonObject>(schemas: Schema, hasObjects = false): Schema {
  return JSON.parse(JSON.stringify(schemas), (key, value: JsonValue) => {
    if (key !== "additionalProperties") return isObject(value) ? nullAsType(value, hasObjects) : value;
    if (typeof value === "boolean" || JSON.stringify(value) === "{}") return undefined;
    throw new Error(`a dictionary of ${JSON.stringify(value)}: clients would take it for anything`);
  });
}

function nullAsType(schema: JsonObject, hasObjects: boolean): JsonObject {
  const { anyOf, ...said } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [{ type, ...one }, other] = anyOf;
  if (typeof type !== "string" || other.type !== "null") return schema;
  if (type === "object" && !hasObjects) return schema;
  const values = Array.isArray(one.enum) ? { enum: [...one.enum, null] } : {};
  return { ...one, ...values, type: [type, "null"], ...said };
}

/** Removes keywords that clients must not rely on. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  // New fields must not break clients, so all objects stay open.
  const { additionalProperties: open } = schema;
  const isAnything = typeof open === "object" && Object.keys(open).length === 0;
  if (open === false || isAnything) delete schema.additionalProperties;
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function plain(schemas: { readonly [name: string]: unknown }): Schemas {
  return forClients(JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/')));
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
    Object.entries(rest).map(([key, value]) => portable(key, inlined(value, definitions))),
  );
}

/** Rewrites a keyword that some clients cannot read: type lists. */
function portable(key: string, value: JsonValue): [string, JsonValue] {
  if (key === "type" && isList(value)) return ["anyOf", value.map((type) => ({ type }))];
  return [key, value];
}

function inlined(value: JsonValue, definitions: Schemas): JsonValue {
  if (value === null || typeof value !== "object") return value;
  return isList(value) ? value.map((item) => inlined(item, definitions)) : inlinedObject(value, definitions);
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
