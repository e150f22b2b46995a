import type { JsonObject, JsonValue } from "../../kernel/text/json.ts";
import { fillPath, pathNames } from "../../kernel/text/markup.ts";
import {
  type ExampleRequest,
  ExamplesShape,
  OpenApiShape,
  type ShapeOperation,
  type ShapeParameter,
  type ShapeResponse,
  type ShapeSchema,
} from "./openapi-shape.ts";

/** A JSON schema for people: one line of type and limits, and its fields. References stay names, so cycles end. */

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
  const types = [schema.type ?? jsonType(schema)].flat();
  if (schema.items === undefined) return [types.join(" or ")];
  return ["list of ", ...typeParts(schema.items), ...(types.includes("null") ? [" or null"] : [])];
}

function jsonType({ const: fixed, enum: values }: ShapeSchema): string {
  const example = fixed ?? values?.[0];
  return example === undefined ? "any" : typeof example;
}

function valuesOf(schema: ShapeSchema): readonly string[] {
  const { const: fixed, enum: values } = single(schema);
  const all = values ?? (fixed === undefined ? [] : [fixed]);
  return all.filter((value) => value !== null).map((value) => JSON.stringify(value)); // null is named among the types
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
  const { properties = {}, required = [] } = single(schema);
  return Object.entries(properties).map(([name, inner]) =>
    field(inner, { name, path: `${path}-${name}`, isRequired: required.includes(name) }),
  );
}

function field(schema: ShapeSchema, own: Pick<Field, "name" | "path" | "isRequired">): Field {
  return { ...own, ...typeFacts(schema, own.path) };
}

export interface ApiBody {
  readonly mediaType: string;
  readonly facts: TypeFacts;
  readonly example: string | null; // as it is sent; JSON is indented
}

/** Reads `/openapi.json` and `/api-examples.json`. Throws ZodError for anything that the reference would not show. */
export function apiReference(document: JsonObject, examples: JsonObject) {
  const shape = OpenApiShape.parse(document);
  const requests = new Map(
    ExamplesShape.parse(examples).operations.map(({ operation_id, request }) => [operation_id, request]),
  );
  const { info, tags, components } = shape;
  const operations = Object.entries(shape.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation === undefined
        ? []
        : [{ tag: operation.tags[0], shown: shownOperation(shape, requests, path, method, operation) }],
    ),
  );
  return {
    title: info.title,
    version: info.version,
    description: info.description.split("\n\n"),
    keyDescription: Object.values(components.securitySchemes)
      .map(({ description }) => description)
      .join(" "),
    groups: tags
      .map(({ name, description }) => ({
        name,
        description, // paragraphs
        operations: operations.flatMap(({ tag, shown }) => (tag === name ? [shown] : [])),
      }))
      .filter((group) => group.operations.length > 0), // webhooks have a section of the guide
    schemas: Object.entries(components.schemas)
      .map(([name, schema]) => ({ name, facts: typeFacts(schema, name) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function shownOperation(
  shape: OpenApiShape,
  requests: ReadonlyMap<string, ExampleRequest>,
  path: string,
  method: string,
  operation: ShapeOperation,
) {
  const { operationId: id, summary, description, deprecated, requestBody } = operation;
  const answers = Object.entries(operation.responses).map(([status, response]) =>
    shownAnswer(shape, status, response),
  );
  const request = requests.get(id) ?? madeUpRequest(path, method, operation);
  return {
    id,
    method: method.toUpperCase(), // GET
    path,
    summary,
    description,
    needsKey: needsKey(operation),
    isDeprecated: deprecated ?? false,
    parameters: operation.parameters.map(shownParameter),
    request: requestBody === undefined ? null : bodyOf(shape, requestBody.content, "request"),
    answers: answers.filter(({ status }) => Number(status) < 400),
    errors: answers.filter(({ status }) => Number(status) >= 400),
    call: curlCall(shape.servers[0]?.url ?? "", request), // for a shell
  };
}

// An empty alternative makes the key optional.
function needsKey({ security = [] }: ShapeOperation): boolean {
  return security.length > 0 && security.every((schemes) => Object.keys(schemes).length > 0);
}

function shownParameter(parameter: ShapeParameter) {
  const { name, in: place, required, description, schema } = parameter;
  return { name, place, isRequired: required, description, facts: typeFacts(schema, name) };
}

const RESPONSES = "#/components/responses/";

function shownAnswer(shape: OpenApiShape, status: string, reference: ShapeResponse | { $ref: string }) {
  const response =
    "$ref" in reference ? shape.components.responses[reference.$ref.replace(RESPONSES, "")] : reference;
  if (response === undefined) throw new Error(`${status}: the components have no such response`);
  const { description, headers = {}, content } = response;
  return {
    status,
    description,
    headers: Object.keys(headers).map((name) => ({
      name,
      description: shape.components.headers[name]?.description ?? "",
    })),
    body: content === undefined ? null : bodyOf(shape, content, `answer-${status}`),
  };
}

/** Unfolds a body that is a single component schema. Schemas below it stay links. */
function bodyOf(
  { components }: OpenApiShape,
  content: NonNullable<ShapeResponse["content"]>,
  path: string,
): ApiBody | null {
  const [entry] = Object.entries(content);
  if (entry === undefined) return null;
  const [mediaType, { schema, example }] = entry;
  const named = schema.$ref === undefined ? undefined : components.schemas[schemaName(schema.$ref)];
  const facts = typeFacts(schema, path);
  return {
    mediaType,
    facts: named === undefined ? facts : { ...typeFacts(named, path), type: facts.type },
    example: example === undefined ? null : bodyText(example),
  };
}

function bodyText(example: JsonValue): string {
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

/** Values for an operation without an example: parameter names in capitals. */
function madeUpRequest(path: string, method: string, operation: ShapeOperation): ExampleRequest {
  const filled = fillPath(
    path,
    Object.fromEntries(pathNames(path).map((name) => [name, name.toUpperCase()])),
  );
  const query = operation.parameters
    .filter(({ in: place, required }) => place === "query" && required)
    .map(({ name }) => `${name}=${name.toUpperCase()}`)
    .join("&");
  return {
    method: method.toUpperCase(),
    path: query === "" ? filled : `${filled}?${query}`,
    ...(needsKey(operation) ? { headers: { Authorization: "Bearer <API_KEY>" } } : {}),
  };
}

function curlCall(baseUrl: string, { method, path, headers = {}, body }: ExampleRequest): string {
  return [
    `curl -s ${quoted(`${baseUrl}${path}`)}`,
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H ${quoted("Content-Type: application/json")}`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
