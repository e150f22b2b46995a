import { accountOperations } from "../../contract/accounts/account-operations.ts";
import { WEBHOOK_MESSAGES } from "../../contract/accounts/webhook-messages.ts";
import { ErrorBody } from "../../contract/envelope.ts";
import { jsonSchemas } from "../../contract/json-schema.ts";
import { SERVICE } from "../../contract/records/claim-boundary.ts";
import { API_VERSION } from "../../contract/versions.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import type { Resource } from "../../resources/define.ts";
import { resources } from "../../resources/index.ts";
import { contractVersions, exampleBody } from "./api-examples.ts";
import { errorHeaders, HEADERS, NOT_MODIFIED, READ_HEADERS } from "./openapi-headers.ts";
import {
  ADMISSION_ERRORS,
  accountPaths,
  OPTIONAL_KEY,
  PROOF_OPERATION,
  proofOperation,
  SECURITY_SCHEMES,
  withoutMark,
} from "./openapi-paths.ts";
import { webhooks } from "./openapi-webhooks.ts";

export function operationIds(): string[] {
  return [...resources, ...accountOperations].map(({ operationId }) => operationId).concat(PROOF_OPERATION);
}

/** Builds the OpenAPI 3.1.0 document from the registry and the account operations. `baseUrl` has no trailing slash; for the name see `inNameOf`. */
export function openApiDocument(baseUrl: string, sourceRevision: string): JsonObject {
  const jsonResources = resources.filter(
    (resource) => exampleBody(resource).content_type === "application/json",
  );
  const wires = Object.fromEntries(jsonResources.map(({ operationId, wire }) => [operationId, wire]));
  const accounts = Object.fromEntries(accountOperations.map(({ operationId, wire }) => [operationId, wire]));
  const { components, schemas } = jsonSchemas({ ...wires, ...accounts, ...WEBHOOK_MESSAGES, ErrorBody });
  return {
    openapi: "3.1.0",
    info: {
      title: SERVICE,
      version: API_VERSION,
      summary:
        "Ledger-backed evidence that a brand or asset was physically seen at a documented time and place.",
      description: DESCRIPTION,
      contact: { name: SERVICE, url: `${baseUrl}/` },
      license: {
        name: "Aggregate figures: CC BY 4.0; records and evidence: terms of the service",
        url: "https://creativecommons.org/licenses/by/4.0/",
      },
      "x-contract": contractVersions(sourceRevision),
    },
    servers: [{ url: baseUrl }],
    security: [],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths: {
      ...Object.fromEntries(
        resources.map((resource) => [
          resource.path,
          { get: operation(resource, schemas[resource.operationId]) },
        ]),
      ),
      "/ledger/proof/{row}": { get: proofOperation(errorReferences) },
      ...accountPaths(schemas, errorReferences),
    },
    webhooks: webhooks(schemas),
    components: {
      schemas: components,
      headers: HEADERS,
      responses: errorResponses(schemas["ErrorBody"] ?? {}),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const DESCRIPTION = [
  "Public reads need no key; partner operations do. A read without arguments is a file: it needs no key and has no rate limit. Every other read counts against the client's quotas when it carries a key, otherwise, or when a quota is used up, against the rate limit of its network address. Operations on subscriptions, portal and webhooks cost no quota. Unknown and malformed parameters return 400. Every error body is a JSON object with `error` for a person and `code` for a program.",
  "Fields may be added to any object at any time; clients must ignore those they do not know. Examples are made up: their ids begin with `ex_` and lead nowhere.",
  "A missing record or an empty list never proves absence, closure or inactivity.",
].join("\n\n");

const TAGS: readonly { name: string; description: string; under: readonly string[] }[] = [
  {
    name: "Records",
    description: "Presence Records: search, score, observations, evidence and citations.",
    under: ["search", "entity", "presence-score", "observations", "citation"],
  },
  {
    name: "Cities",
    description: "Cities: ranking, coverage and changes.",
    under: ["city", "cities", "coverage-status", "pulse"],
  },
  { name: "Exports", description: "Aggregates as files.", under: ["explorer.csv"] },
  {
    name: "Reference",
    description: "Catalogs of filter values.",
    under: ["locations", "taxonomy"],
  },
  {
    name: "About the data",
    description: "Contents, freshness, quality, citation and usage of the data.",
    under: ["search-ai-readiness", "machine-activity", "methodology", "independence"],
  },
  { name: "Alerts", description: "Subscriptions to changes, by email or webhook.", under: ["alerts"] },
  { name: "Reports", description: "Reports of problems with the data.", under: ["reports"] },
  { name: "Owners", description: "Requests of owners to remove a record.", under: ["removals"] },
  { name: "Partners", description: "A partner's quota, usage, keys and webhooks.", under: ["partner"] },
  { name: "Webhooks", description: "Messages to the endpoint of a partner or a subscriber.", under: [] },
  {
    name: "Ledger",
    description: "Status of the ledger and of the release.",
    under: ["status", "ledger-checkpoints", "withdrawals"],
  },
];

const ERRORS = {
  400: { name: "BadRequest", description: "A parameter or field is unknown or invalid; `error` names it." },
  401: {
    name: "Unauthorized",
    description: "The API key is missing, invalid or revoked.",
  },
  403: { name: "Forbidden", description: "The client is disabled, or portal access is not enabled." },
  404: { name: "NotFound", description: "Not found, or opted out." },
  409: {
    name: "Conflict",
    description: "The request conflicts with the current state; `error` explains how.",
  },
  410: { name: "Gone", description: "The cursor's snapshot has expired: restart without a cursor." },
  413: { name: "ContentTooLarge", description: "The body is larger than 32 kB." },
  415: { name: "UnsupportedMediaType", description: "The body must be application/json." },
  429: {
    name: "TooManyRequests",
    description: "Rate limit exceeded: retry later, or use the bulk files.",
  },
  503: {
    name: "Unavailable",
    description: "Nothing is published yet, or the service is busy or unreachable: retry later.",
  },
} as const;

function operation(resource: Resource, schema: JsonObject | undefined): JsonObject {
  return {
    operationId: resource.operationId,
    tags: [tagOf(resource)],
    security: OPTIONAL_KEY,
    summary: resource.summary,
    description: resource.description,
    parameters: [...parameters("path", resource), ...parameters("query", resource)],
    responses: {
      200: {
        description: "The response.",
        headers: READ_HEADERS,
        content: content(resource, schema),
      },
      304: NOT_MODIFIED,
      ...errorReferences([...resource.errors, ...ADMISSION_ERRORS]),
    },
  };
}

function errorReferences(statuses: readonly (keyof typeof ERRORS)[]): JsonObject {
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [status, { $ref: `#/components/responses/${ERRORS[status].name}` }]),
  );
}

/** Returns the tag of the first path segment after /api/v1. Throws when no tag covers it. */
function tagOf({ path, operationId }: Resource): string {
  const segment = path.split("/")[3] ?? "";
  const tag = TAGS.find(({ under }) => under.includes(segment));
  if (tag === undefined) throw new Error(`${operationId}: no tag covers ${path}`);
  return tag.name;
}

function parameters(place: "path" | "query", resource: Resource): JsonObject[] {
  const shape = place === "path" ? resource.pathParams.shape : resource.query.shape;
  const { schemas } = jsonSchemas(shape);
  return Object.entries(schemas).map(([name, described]) => {
    const { description = "", ...schema } = described;
    const example = resource.example[place][name];
    return {
      name,
      in: place,
      required: place === "path",
      description,
      schema,
      ...(typeof example === "string" && schema["type"] === "string" ? { example } : {}),
    };
  });
}

function content(resource: Resource, schema: JsonObject | undefined): JsonObject {
  const { content_type, body } = exampleBody(resource);
  return { [content_type]: { schema: schema ?? { type: "string" }, example: withoutMark(body) } };
}

function errorResponses(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, { name, description }]) => [
      name,
      {
        description,
        headers: errorHeaders(Number(status)),
        content: { "application/json": { schema } },
      },
    ]),
  );
}
