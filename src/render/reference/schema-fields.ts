/** A JSON schema for people: one line of type and limits, and its fields. References stay names, so cycles end. */

import type { ShapeSchema } from "./openapi-shape.ts";

/** A piece of a type: text, or the name of a schema to link to. */
export type TypePart = string | { readonly schema: string };

export type TypeFacts = ReturnType<typeof typeFacts>;

export interface Field extends TypeFacts {
  readonly name: string; // `*` stands for any name
  readonly path: string; // path below the schema, joined with dashes, without lists; usable as an id
  readonly isRequired: boolean;
}

const REFERENCE = /^#\/components\/schemas\/(.+)$/;

/** Returns the name of a referenced component. Throws for any other reference. */
export function schemaName(reference: string): string {
  const [, name] = REFERENCE.exec(reference) ?? [];
  if (name === undefined) throw new Error(`${reference}: only references to component schemas are supported`);
  return name;
}

/** Describes a schema. `path` is its path and the prefix of its fields' paths. */
export function typeFacts(schema: ShapeSchema, path: string) {
  return {
    type: typeParts(schema),
    values: valuesOf(schema), // allowed values as JSON; empty when any value is allowed
    limits: limitsOf(schema), // `at most 200 characters`
    pattern: single(schema).pattern ?? null, // regular expression
    fallback: schema.default === undefined ? null : JSON.stringify(schema.default), // default value, as JSON
    description: schema.description ?? "", // empty for none; text between backticks is code
    isDeprecated: schema.deprecated ?? false,
    fields: fieldsOf(schema, path),
  };
}

function variants(schema: ShapeSchema): readonly ShapeSchema[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

/** Returns the schema without its null and list wrappers. */
function single(schema: ShapeSchema): ShapeSchema {
  const others = variants(schema)?.filter(({ type }) => type !== "null");
  if (others?.length === 1 && others[0] !== undefined) return single(others[0]);
  return schema.items === undefined ? schema : single(schema.items);
}

function typeParts(schema: ShapeSchema): readonly TypePart[] {
  if (schema.$ref !== undefined) return [{ schema: schemaName(schema.$ref) }];
  const either = variants(schema);
  if (either !== undefined)
    return either.flatMap((variant, at) => [...(at === 0 ? [] : [" or "]), ...typeParts(variant)]);
  if (schema.items !== undefined) return ["list of ", ...typeParts(schema.items)];
  return [[schema.type ?? jsonType(schema)].flat().join(" or ")];
}

function jsonType({ const: fixed, enum: values }: ShapeSchema): string {
  const example = fixed ?? values?.[0];
  return example === undefined ? "any" : typeof example;
}

function valuesOf(schema: ShapeSchema): readonly string[] {
  const { const: fixed, enum: values } = single(schema);
  return (values ?? (fixed === undefined ? [] : [fixed])).map((value) => JSON.stringify(value));
}

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "ISO 8601 time in UTC",
  date: "date, YYYY-MM-DD",
  uri: "absolute URL",
  uuid: "UUID",
  email: "email address",
};

function limitsOf(schema: ShapeSchema): readonly string[] {
  const inner = single(schema);
  const { format } = inner;
  return [
    ...(format === undefined ? [] : [FORMATS[format] ?? format]),
    ...range(inner.minimum, inner.maximum, ""),
    ...(inner.exclusiveMinimum === undefined ? [] : [`more than ${inner.exclusiveMinimum}`]),
    ...(inner.exclusiveMaximum === undefined ? [] : [`less than ${inner.exclusiveMaximum}`]),
    ...range(inner.minLength, inner.maxLength, "character"),
    ...range(schema.minItems, schema.maxItems, "item"),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): readonly string[] {
  if (from === undefined && to === undefined) return [];
  const last = to ?? from;
  const of = unit === "" ? "" : ` ${unit}${last === 1 ? "" : "s"}`;
  if (from === to || from === undefined) return [`${from === to ? "exactly" : "at most"} ${to}${of}`];
  return [to === undefined ? `at least ${from}${of}` : `${from} to ${to}${of}`];
}

function fieldsOf(schema: ShapeSchema, path: string): readonly Field[] {
  const { properties, required = [], additionalProperties: others } = single(schema);
  // A schema can declare fields next to its alternatives.
  const named = Object.entries({ ...properties, ...schema.properties }).map(([name, inner]) =>
    field(inner, { name, path: `${path}-${name}`, isRequired: required.includes(name) }),
  );
  if (typeof others !== "object") return named;
  return [...named, field(others, { name: "*", path: `${path}-any`, isRequired: false })];
}

function field(schema: ShapeSchema, own: Pick<Field, "name" | "path" | "isRequired">): Field {
  return { ...own, ...typeFacts(schema, own.path) };
}
