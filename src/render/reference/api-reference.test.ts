import { expect, test } from "vitest";
import type { JsonObject } from "../../kernel/text/json.ts";
import { apiExamples } from "./api-examples.ts";
import { apiReference, type Field, type TypeFacts } from "./api-reference.ts";
import { openApiDocument } from "./openapi.ts";
import { OpenApiShape } from "./openapi-shape.ts";

const BASE = "https://presence.test";
const document = openApiDocument(BASE, "abc123");
const examples = apiExamples("abc123");
const shape = OpenApiShape.parse(document);
const reference = apiReference(document, examples);
const shown = reference.groups.flatMap(({ operations }) => operations);
const operations = Object.entries(shape.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation === undefined ? [] : [{ path, method, operation }],
  ),
);

function allFields(facts: TypeFacts): readonly Field[] {
  return facts.fields.flatMap((field) => [field, ...allFields(field)]);
}

function linkedSchemas(facts: TypeFacts): readonly string[] {
  return [facts, ...allFields(facts)].flatMap(({ type }) =>
    type.flatMap((part) => (typeof part === "string" ? [] : [part.schema])),
  );
}

/** Names of all members below a part of the document, however deep, as a plain walk over the JSON finds them. */
function memberNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "properties" && typeof inner === "object" && inner !== null
      ? [...Object.keys(inner), ...Object.values(inner).flatMap(memberNames)]
      : memberNames(inner),
  );
}

test("every operation of the document is shown once, with all that it says", () => {
  expect(shown.map(({ id }) => id).toSorted()).toEqual(
    operations.map(({ operation }) => operation.operationId).toSorted(),
  );
  for (const { path, method, operation } of operations) {
    const own = shown.find(({ id }) => id === operation.operationId);
    expect(own).toMatchObject({
      path,
      method: method.toUpperCase(),
      summary: operation.summary,
      description: operation.description,
      needsKey: operation.security?.length === 1,
    });
    const statuses = [...(own?.answers ?? []), ...(own?.errors ?? [])].map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(Object.keys(operation.responses).toSorted());
  }
});

test("every parameter is shown with its place, its description and its limits", () => {
  for (const { operation } of operations) {
    const own = shown.find(({ id }) => id === operation.operationId)?.parameters ?? [];
    expect(
      own.map(({ name, place, isRequired, description }) => [name, place, isRequired, description]),
    ).toEqual(
      operation.parameters.map(({ name, in: place, required, description }) => [
        name,
        place,
        required,
        description,
      ]),
    );
  }
  const limit = shown
    .find(({ id }) => id === "getCityIndex")
    ?.parameters.find(({ name }) => name === "limit");
  expect(limit?.facts).toMatchObject({ type: ["integer"], limits: ["1 to 100"], fallback: "50" });
});

test("every schema is shown, with every member at every depth", () => {
  expect(reference.schemas.map(({ name }) => name)).toEqual(Object.keys(shape.components.schemas).toSorted());
  for (const { name, facts } of reference.schemas) {
    const fields = allFields(facts).map((field) => field.name);
    expect(fields.toSorted(), name).toEqual(memberNames(shape.components.schemas[name]).toSorted());
  }
});

test("request bodies are shown with every member", () => {
  for (const { operation } of operations) {
    const request = shown.find(({ id }) => id === operation.operationId)?.request;
    const fields = request ? allFields(request.facts).map((field) => field.name) : [];
    expect(fields.toSorted(), operation.operationId).toEqual(memberNames(operation.requestBody).toSorted());
  }
});

test("every link leads to a schema, and every anchor of a page is there once", () => {
  const known = new Set(reference.schemas.map(({ name }) => name));
  const bodies = shown.flatMap(({ request, answers, errors }) => [
    request,
    ...[...answers, ...errors].map(({ body }) => body),
  ]);
  const all = [...reference.schemas, ...bodies.filter((body) => body !== null)].map(({ facts }) => facts);
  for (const facts of all) for (const name of linkedSchemas(facts)) expect(known).toContain(name);
  const anchors = reference.schemas.flatMap(({ name, facts }) => [
    name,
    ...allFields(facts).map(({ path }) => path),
  ]);
  expect(new Set(anchors).size).toBe(anchors.length);
});

test("a call is the example's request, or names what has to be put in", () => {
  const callOf = (name: string) => shown.find(({ id }) => id === name)?.call;
  expect(callOf("getEntity")).toBe(`curl -s '${BASE}/api/v1/entity/ex_bakery'`);
  expect(callOf("getRowProof")).toBe(`curl -s '${BASE}/ledger/proof/ROW'`);
  expect(callOf("getPendingAlert")).toBe(`curl -s '${BASE}/api/v1/alerts/confirm?token=TOKEN'`);
  expect(callOf("removePartnerWebhook")?.split(" \\\n  ")).toEqual([
    `curl -s '${BASE}/api/v1/partner/webhooks/WEBHOOK'`,
    "-X DELETE",
    "-H 'Authorization: Bearer <API_KEY>'",
  ]);
  expect(callOf("createPartnerWebhook")).toContain(`-d '{"endpoint_url":"https://`);
});

function withSchema(schema: JsonObject): JsonObject {
  const { components } = shape;
  return JSON.parse(
    JSON.stringify({
      ...document,
      components: { ...components, schemas: { ...components.schemas, Node: schema } },
    }),
  );
}

test("a schema that holds itself is linked and not unfolded for ever", () => {
  const node = { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } };
  const { schemas } = apiReference(withSchema(node), examples);
  const facts = schemas.find(({ name }) => name === "Node")?.facts;
  expect(facts?.fields).toMatchObject([{ name: "next", type: [{ schema: "Node" }], fields: [] }]);
});

test("nothing in a schema is left out without a word: an unknown keyword is an error", () => {
  expect(() => apiReference(withSchema({ type: "integer", multipleOf: 5 }), examples)).toThrow("multipleOf");
  expect(() => apiReference(withSchema({ $ref: "https://elsewhere.test/schema" }), examples)).toThrow(
    "https://elsewhere.test/schema",
  );
});

test("lists, nulls, choices and patterns are put into words", () => {
  const list = { type: "array", minItems: 1, items: { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] } };
  const text = {
    type: "string",
    pattern: "^x$",
    maxLength: 9,
    deprecated: true,
    description: "Some `code`.",
  };
  const schema = { type: "object", required: ["list"], properties: { list, text } };
  const { schemas } = apiReference(withSchema(schema), examples);
  expect(schemas.find(({ name }) => name === "Node")?.facts.fields).toMatchObject([
    {
      type: ["list of ", "string", " or ", "null"],
      values: ['"a"', '"b"'],
      limits: ["at least 1 item"],
      isRequired: true,
    },
    {
      type: ["string"],
      pattern: "^x$",
      limits: ["at most 9 characters"],
      isRequired: false,
      isDeprecated: true,
    },
  ]);
});
