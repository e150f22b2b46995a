import type { JsonObject, JsonValue } from "../../kernel/text/canonical-json.ts";
import { fillPath, pathNames } from "../../kernel/text/path-template.ts";
import {
  type ExampleRequest,
  ExamplesShape,
  OpenApiShape,
  type ShapeOperation,
  type ShapeParameter,
  type ShapeResponse,
} from "./openapi-shape.ts";
import { schemaName, type TypeFacts, typeFacts } from "./schema-fields.ts";

/** The OpenAPI document, prepared for the pages of the API reference. */
export type ApiReference = ReturnType<typeof apiReference>;

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
    groups: tags.map(({ name, description }) => ({
      name,
      description, // paragraphs
      operations: operations.flatMap(({ tag, shown }) => (tag === name ? [shown] : [])),
    })),
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
    headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description })),
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
