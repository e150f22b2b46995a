import type { ShapeSchema } from "./openapi-shape.ts";

/** A JSON schema as people read it: one line of type and limits, and the members below it. Other schemas are named, never unfolded, so no circle of them has no end. */

/** A piece of a type: text, or the name of a schema to link to. */
export type TypePart = string | { readonly schema: string };

export interface TypeFacts {
  readonly type: readonly TypePart[];
  readonly values: readonly string[]; // the only ones allowed, as JSON; empty when any is
  readonly limits: readonly string[]; // `at most 200 characters`
  readonly pattern: string | null; // regular expression
  readonly fallback: string | null; // what counts when nothing is sent, as JSON
  readonly description: string; // "" for none; text between backticks is code
  readonly isDeprecated: boolean;
  readonly fields: readonly Field[];
}

export interface Field extends TypeFacts {
  readonly name: string; // `*` stands for any name
  readonly path: string; // from the schema down, with dashes, fit for an id; lists are not in it
  readonly isRequired: boolean;
}

const REFERENCE = /^#\/components\/schemas\/(.+)$/;

/** The name of the component that a reference leads to. Throws for a reference to anything else. */
export function schemaName(reference: string): string {
  const [, name] = REFERENCE.exec(reference) ?? [];
  if (name === undefined) throw new Error(`${reference}: the reference knows schemas of components only`);
  return name;
}

/** `path` is where the schema stands; its members' paths begin with it. */
export function typeFacts(schema: ShapeSchema, path: string): TypeFacts {
  return {
    type: typeParts(schema),
    values: valuesOf(schema),
    limits: limitsOf(schema),
    pattern: single(schema).pattern ?? null,
    fallback: schema.default === undefined ? null : JSON.stringify(schema.default),
    description: schema.description ?? "",
    isDeprecated: schema.deprecated ?? false,
    fields: fieldsOf(schema, path),
  };
}

function variants(schema: ShapeSchema): readonly ShapeSchema[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

/** The schema itself, or what it is when it is neither null nor a list. */
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
  uri: "absolute address",
  uuid: "UUID",
  email: "mail address",
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
  // Members may be declared beside the alternatives of a schema.
  const named = Object.entries({ ...properties, ...schema.properties }).map(([name, inner]) =>
    field(inner, { name, path: `${path}-${name}`, isRequired: required.includes(name) }),
  );
  if (typeof others !== "object") return named;
  return [...named, field(others, { name: "*", path: `${path}-any`, isRequired: false })];
}

function field(schema: ShapeSchema, own: Pick<Field, "name" | "path" | "isRequired">): Field {
  return { ...own, ...typeFacts(schema, own.path) };
}
