import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { z } from "zod";
import { fakeEvent, fakeRecord } from "../../../tests/support/release/fake-rows.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { accountOperations } from "../../contract/accounts/account-operations.ts";
import { WEBHOOK_MESSAGES } from "../../contract/accounts/webhook-messages.ts";
import { API_VERSION } from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson, type JsonValue } from "../../kernel/text/json.ts";
import { resources } from "../../resources/index.ts";
import { apiExamples } from "./api-examples.ts";
import { exampleAnswer, readExample, toolExamples } from "./examples.ts";
import { openApiDocument, operationIds } from "./openapi.ts";

const document = openApiDocument("https://presence.test", "abc123");

/** Validates against the schema at a place of the document, as a client would after reading it. */
function validatorAt(...path: readonly string[]) {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi");
  const pointer = path.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
  const validate = ajv.getSchema(`openapi#/${pointer}`);
  return (value: unknown) => {
    expect(validate).toBeDefined();
    validate?.(JSON.parse(JSON.stringify(value)));
    return validate?.errors ?? [];
  };
}

const jsonResources = resources.filter(({ operationId }) => operationId !== "exportExplorerCsv");
const responseSchema = (path: string) =>
  validatorAt("paths", path, "get", "responses", "200", "content", "application/json", "schema");

test("the list of operations is that of the document", () => {
  const described = [...JSON.stringify(document["paths"]).matchAll(/"operationId":"(\w+)"/g)].map(
    ([, id]) => id,
  );
  expect(operationIds().sort()).toEqual(described.sort());
});

test("the whole document", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    "./__snapshots__/openapi.json.snap",
  );
});

test.each(jsonResources)("the example of $operationId is valid by the document", (resource) => {
  expect(responseSchema(resource.path)(exampleAnswer(resource))).toEqual([]);
});

const accountExamples = accountOperations.flatMap((operation) =>
  operation.example === undefined ? [] : [{ ...operation, body: operation.example.body }],
);

test.each(accountExamples)("the example of $operationId is valid by the document", (operation) => {
  const { operationId, path, method, success, wire, body } = operation;
  const place = ["paths", path, method.toLowerCase()];
  for (const status of Object.keys(success)) {
    const answer = validatorAt(...place, "responses", status, "content", "application/json", "schema");
    expect(answer(readExample(operationId, wire))).toEqual([]);
    expect(answer({})).not.toEqual([]);
  }
  if (body === undefined) return;
  const request = validatorAt(...place, "requestBody", "content", "application/json", "schema");
  expect(request(body)).toEqual([]);
  expect(request({})).not.toEqual([]);
});

test("every operation takes a key, with the refusals of one, and says whether it needs it", () => {
  const reads = resources.map(({ path }) => ({ path, method: "GET", needsKey: false }));
  const proof = { path: "/ledger/proof/{row}", method: "GET", needsKey: false };
  for (const { path, method, needsKey } of [...accountOperations, ...reads, proof]) {
    const described = JSON.stringify(operationAt(path, method));
    expect(described).toContain(`"security":[${needsKey ? "" : "{},"}{"apiKey":[]}]`);
    for (const status of [401, 403, 429, 503]) expect(described).toContain(`"${status}":`);
  }
});

function operationAt(path: string, method: string): JsonValue | undefined {
  const { paths } = z
    .looseObject({ paths: z.record(z.string(), z.record(z.string(), z.json())) })
    .parse(document);
  return paths[path]?.[method.toLowerCase()];
}

test.each(jsonResources)("an answer of $operationId is valid by the document", (resource) => {
  const context = fakeContext({
    events: [fakeEvent("evt_1", 1)],
    records: [fakeRecord(1), fakeRecord(2, {}, null)],
  });
  const validate = responseSchema(resource.path);
  for (const path of resource.enumerate(context.snapshot))
    expect(validate(resource.read(context, path, {}))).toEqual([]);
});

test.each(jsonResources)(
  "the document refuses a $operationId answer with a member missing or of another type",
  (resource) => {
    const validate = responseSchema(resource.path);
    const answer: JsonValue = JSON.parse(JSON.stringify(exampleAnswer(resource)));
    expect(validate("text")).not.toEqual([]);
    expect(validate(Array.isArray(answer) ? [{}] : {})).not.toEqual([]);
  },
);

test.each(Object.keys(WEBHOOK_MESSAGES))("the example of the webhook %s is valid by the document", (name) => {
  const post = validatorAt("webhooks", name, "post", "requestBody", "content", "application/json", "schema");
  const { webhooks } = z
    .looseObject({
      webhooks: z.record(z.string(), z.looseObject({ post: z.looseObject({ requestBody: z.json() }) })),
    })
    .parse(document);
  const [, example] = /"example":(.*)\}\}\}$/.exec(JSON.stringify(webhooks[name]?.post.requestBody)) ?? [];
  expect(post(JSON.parse(example ?? ""))).toEqual([]);
  expect(post({ type: "other" })).not.toEqual([]);
});

test("generators of clients read each type: nothing is open or closed by name, and null has no alternative beside members", () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain("additionalProperties");
  expect(text).not.toMatch(/"anyOf":\[\{"type":"(?!string","format|object")/); // an object, a reference or null, or two forms of a day
  expect(text).not.toMatch(/"format":"date-time","pattern"/);
  expect(text).not.toContain("#/$defs/");
});

test("the examples carry versions and the hash of all examples, and no time of making", () => {
  const { operations, fixture_sha256, ...head } = apiExamples("abc123");
  const tools = Object.fromEntries(toolExamples());
  expect(fixture_sha256).toBe(sha256Hex(canonicalJson({ operations: operations ?? null, tools })));
  expect(head).toEqual({
    example_only: true,
    api_version: API_VERSION,
    schema_version: "2026-08-07.v11",
    fixture_version: "2026-08-07.v6",
    status: "public_beta",
    introduced: "2026-07-29",
    source_revision: "abc123",
  });
  expect(apiExamples("abc123")).toEqual(apiExamples("abc123"));
});

test("no example can be mistaken for a real record", () => {
  const text = JSON.stringify(apiExamples("abc123"));
  for (const [, id] of text.matchAll(/"public_id":"([^"]+)"/g)) expect(id).toMatch(/^ex_/);
  for (const [, host] of text.matchAll(/https?:\/\/([^/"]+)/g)) expect(host).toMatch(/\.example$/);
});
