import type { JsonObject } from "../../kernel/text/json.ts";

/** Headers of answers in the OpenAPI document: those that the server sends. `required`: with each answer that lists them. */

const text = { type: "string" } as const;
export const HEADERS = {
  ETag: { description: "Names these bytes, for `If-None-Match`.", required: true, schema: text },
  "Last-Modified": {
    description: "When these bytes were first published, for `If-Modified-Since` with this very date.",
    schema: text,
  },
  "Cache-Control": { description: "How long a cache may keep the answer.", required: true, schema: text },
  Link: {
    description: "Leads to this document, the page for agents and the methodology.",
    required: true,
    schema: text,
  },
  Vary: { description: "Headers of the request by which the answer differs.", required: true, schema: text },
  "WWW-Authenticate": {
    description: "How to send a key, and what is wrong with it.",
    required: true,
    schema: text,
  },
  "RateLimit-Policy": {
    description: "The limits that the request counts against. Absent where none does, as with files.",
    schema: text,
  },
  RateLimit: { description: "What is left of each, and the seconds until it is whole again.", schema: text },
  "Retry-After": {
    description: "Seconds to wait before the next request. With 503 only where they are known.",
    schema: { type: "integer", minimum: 0 },
  },
} as const;
type Header = keyof typeof HEADERS;
const PASSING: readonly Header[] = ["Cache-Control", "Link"];
const VALIDATORS: readonly Header[] = ["ETag", "Last-Modified", "Vary", ...PASSING];

/** Of reads, and of a 304 in their place. */
export const READ_HEADERS = headerReferences([...VALIDATORS, "RateLimit-Policy", "RateLimit"]);
const NOT_MODIFIED_HEADERS = headerReferences(VALIDATORS);
/** Of operations on accounts, which nothing may keep. */
export const PASSING_HEADERS = headerReferences(PASSING);

export const NOT_MODIFIED: JsonObject = {
  description: "The client has it: `If-None-Match` names its `ETag`.",
  headers: NOT_MODIFIED_HEADERS,
};

/** Of an error, by its status. A proxy in front may answer instead of the server, so `Link` is not promised. */
export function errorHeaders(status: number): JsonObject {
  const more: Readonly<Record<number, readonly Header[]>> = {
    401: ["WWW-Authenticate"],
    429: ["Retry-After", "RateLimit-Policy", "RateLimit"],
    503: ["Retry-After"],
  };
  return headerReferences(["Cache-Control", ...(more[status] ?? [])]);
}

function headerReferences(names: readonly Header[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
