import {
  API_VERSION,
  CONTRACT_INTRODUCED,
  CONTRACT_STATUS,
  FIXTURE_VERSION,
  SCHEMA_VERSION,
} from "../../contract/versions.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson, type JsonObject, type JsonValue } from "../../kernel/text/json.ts";
import { fillPath } from "../../kernel/text/markup.ts";
import { explorerCsv } from "../../resources/cities/tables.ts";
import type { Resource } from "../../resources/define.ts";
import { resources } from "../../resources/index.ts";
import { csvText } from "../formats/tables.ts";
import { exampleAnswer, toolExamples } from "./examples.ts";
import { accountExamples } from "./openapi-paths.ts";

/** One fictional request and response for each operation. No id resolves, and no generation time is included. */
export function apiExamples(sourceRevision: string): JsonObject {
  return { example_only: true, ...contractVersions(sourceRevision), operations };
}

/** Version fields of the machine-readable artifacts (interface 9). */
export function contractVersions(sourceRevision: string) {
  return {
    api_version: API_VERSION,
    schema_version: SCHEMA_VERSION,
    fixture_version: FIXTURE_VERSION,
    status: CONTRACT_STATUS,
    introduced: CONTRACT_INTRODUCED,
    source_revision: sourceRevision,
    fixture_sha256: fixtureSha256,
  };
}

const operations: readonly JsonValue[] = [
  ...resources.map((resource) => ({
    operation_id: resource.operationId,
    request: { method: "GET", path: examplePath(resource) },
    response: { status: 200, ...exampleBody(resource) },
  })),
  ...accountExamples(),
];

/** SHA-256 of all REST and MCP examples in canonical form (RFC 8785). */
const fixtureSha256 = sha256Hex(canonicalJson({ operations, tools: Object.fromEntries(toolExamples()) }));

function examplePath({ path, example }: Resource): string {
  const filled = fillPath(path, example.path);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(example.query))
    for (const one of [value].flat()) query.append(name, one);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Returns an operation's example in its response format. */
export function exampleBody(resource: Resource): { content_type: string; body: JsonValue } {
  if (resource.operationId === explorerCsv.operationId)
    return { content_type: "text/csv", body: csvText(exampleAnswer(explorerCsv)) };
  return { content_type: "application/json", body: JSON.parse(JSON.stringify(exampleAnswer(resource))) };
}
