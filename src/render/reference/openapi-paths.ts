import {
  ACCOUNT_PATH_PARAMETERS,
  type AccountOperation,
  accountOperations,
} from "../../contract/accounts/account-operations.ts";
import { forClients, inlineJsonSchema } from "../../contract/json-schema.ts";
import type { JsonObject, JsonValue } from "../../kernel/text/json.ts";
import { pathNames } from "../../kernel/text/markup.ts";
import { readExample } from "./examples.ts";
import { NOT_MODIFIED, PASSING_HEADERS, READ_HEADERS } from "./openapi-headers.ts";

/** OpenAPI paths and examples of the subscription, report and partner operations. */

type NamedOperation = (typeof accountOperations)[number];
type AccountError = AccountOperation["errors"][number] | (typeof ADMISSION_ERRORS)[number];

const KEY_SCHEME = "apiKey";

export const SECURITY_SCHEMES: JsonObject = {
  [KEY_SCHEME]: {
    type: "http",
    scheme: "bearer",
    description:
      "A partner's API key. Required for partner operations. Optional on public reads and MCP, where the request then counts against the client's quotas while they last.",
  },
};

/** Security of operations with an optional key. */
export const OPTIONAL_KEY: JsonValue = [{}, { [KEY_SCHEME]: [] }];

/** Errors that every operation can return: invalid key, disabled client, rate limit, unavailable. */
export const ADMISSION_ERRORS = [401, 403, 429, 503] as const;

/** Returns path items by path. `errors` builds references to the shared error responses; `schemas` has response schemas by operation. */
export function accountPaths(
  schemas: Readonly<Record<string, JsonObject>>,
  errors: (statuses: readonly AccountError[]) => JsonObject,
): JsonObject {
  const byPath = Map.groupBy(accountOperations, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, operations]) => [
      path,
      Object.fromEntries(
        operations.map((operation) => [
          operation.method.toLowerCase(),
          described(operation, schemas[operation.operationId] ?? {}, errors),
        ]),
      ),
    ]),
  );
}

function described(
  operation: NamedOperation,
  schema: JsonObject,
  errors: (statuses: readonly AccountError[]) => JsonObject,
): JsonObject {
  const { operationId, tag, summary, description, needsKey, request, success } = operation;
  const example = exampleBody(operation);
  const content = {
    "application/json": { schema, ...(example === undefined ? {} : { example: withoutMark(example) }) },
  };
  const answers = Object.entries(success).map(([status, says]) => [
    status,
    { description: says, headers: PASSING_HEADERS, content },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: needsKey ? [{ [KEY_SCHEME]: [] }] : OPTIONAL_KEY,
    parameters: parameters(operation),
    ...(request === undefined ? {} : { requestBody: requestBody(operation) }),
    responses: { ...Object.fromEntries(answers), ...errors([...operation.errors, ...ADMISSION_ERRORS]) },
  };
}

function parameters({ path, token }: NamedOperation): JsonObject[] {
  const inPath = pathNames(path).map((name) => {
    const { description = "", ...schema } = inlineJsonSchema(
      ACCOUNT_PATH_PARAMETERS[name] ?? fail(`${path}: no parameter ${name}`),
      "output",
    );
    return { name, in: "path", required: true, description, schema };
  });
  if (token === undefined) return inPath;
  return [
    ...inPath,
    { name: "token", in: "query", required: true, description: token, schema: { type: "string" } },
  ];
}

function requestBody({ request, example }: NamedOperation): JsonObject {
  if (request === undefined) return {};
  const schema = forClients(inlineJsonSchema(request, "input"));
  const body = example?.body && { example: JSON.parse(JSON.stringify(example.body)) };
  return { required: true, content: { "application/json": { schema, ...body } } };
}

function exampleBody({ operationId, wire, example }: NamedOperation): JsonValue | undefined {
  return example && JSON.parse(JSON.stringify(readExample(operationId, wire)));
}

/** An example as its schema has it: only the file of examples marks them (interface 4.19). */
export function withoutMark(body: JsonValue): JsonValue {
  if (typeof body !== "object" || body === null || !("example_only" in body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== "example_only"));
}

/** Returns example requests and responses. */
export function accountExamples(): JsonObject[] {
  return accountOperations.flatMap((operation) => {
    const { operationId, method, path, needsKey, example, success } = operation;
    if (example === undefined) return [];
    const headers = needsKey ? { headers: { Authorization: "Bearer <API_KEY>" } } : {};
    const request = { method, path, ...headers, ...(example.body ? { body: { ...example.body } } : {}) };
    const status = [201, 202].find((made) => made in success) ?? 200;
    const body = exampleBody(operation) ?? null;
    const response = { status, content_type: "application/json", body };
    return [JSON.parse(JSON.stringify({ operation_id: operationId, request, response }))];
  });
}

function fail(message: string): never {
  throw new Error(message);
}

export const PROOF_OPERATION = "getRowProof";

/** OpenAPI path of `/ledger/proof/{row}`, which is computed from a release's tiles and not from its database. */
export function proofOperation(
  errors: (statuses: readonly (400 | 404 | (typeof ADMISSION_ERRORS)[number])[]) => JsonObject,
): JsonObject {
  return {
    operationId: PROOF_OPERATION,
    tags: ["Ledger"],
    security: OPTIONAL_KEY,
    summary: "Get the inclusion proof of a ledger row",
    description:
      "Returns a `.tlog-proof` (C2SP tlog-proof): the hashes from the row's leaf to a signed tree head, and that head. The server builds it from the published tiles, so any copy of the site can provide the same proof.",
    parameters: [
      {
        name: "row",
        in: "path",
        required: true,
        description: "Ledger row, starting at 1. Its leaf index is one less.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "size",
        in: "query",
        required: false,
        description: "Size of an earlier signed tree. Default: the newest tree.",
        schema: { type: "integer", minimum: 1 },
      },
    ],
    responses: {
      200: {
        description: "The proof.",
        headers: READ_HEADERS,
        content: { "text/plain": { schema: { type: "string" } } },
      },
      304: NOT_MODIFIED,
      ...errors([400, 404, ...ADMISSION_ERRORS]),
    },
  };
}
