import type { Encoding } from "../kernel/compressed-twins.ts";

/**
 * Response headers of the public surface (design 9). Lists are flat, as `writeHead` takes them: name, value, name, value.
 * They are not readonly only because Node's types want it so; nobody changes one that is in use.
 */

const CACHE_RELEASE = "public, max-age=300, stale-while-revalidate=86400";
const CACHE_FOREVER = "public, max-age=31536000, immutable";
/** Names under assets/ hold a hash of their content; tiles and signed heads never change once they are published. */
const IMMUTABLE = /^(assets|ledger\/tile|ledger\/checkpoints)\//;
/** Where the tree stands now: whoever watches the log must not be shown an old head for minutes (C2SP tlog-tiles). */
const NEWEST_HEAD = "ledger/checkpoint";
const CACHE_SECONDS = "public, max-age=5";
const JSON_TYPE = "application/json; charset=utf-8";

const CORS: readonly string[] = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "ETag, RateLimit, RateLimit-Policy, Retry-After",
];

const PAGE_SECURITY: readonly string[] = [
  "Content-Security-Policy",
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Frame-Options",
  "DENY",
  "Permissions-Policy",
  "camera=(), geolocation=(), microphone=()",
  "Cross-Origin-Opener-Policy",
  "same-origin",
];

const EVERY_ANSWER: readonly string[] = [
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "strict-origin-when-cross-origin",
];

/** What an answer sends beside the headers that describe its body. */
function commonHeaders(path: string): string[] {
  return [...EVERY_ANSWER, ...(path.endsWith(".html") ? PAGE_SECURITY : CORS)];
}

interface FileFacts {
  readonly path: string; // below site/
  readonly type: string;
  readonly length: number;
  readonly etag: string;
  readonly encoding: Encoding;
}

/** Headers of a 304, and of everything else that this file answers: what a cache must know (RFC 9110 15.4.5). */
export function validatorHeaders({ path, etag }: { path: string; etag: string }): string[] {
  const cache = path === NEWEST_HEAD ? CACHE_SECONDS : IMMUTABLE.test(path) ? CACHE_FOREVER : CACHE_RELEASE;
  return ["ETag", etag, "Cache-Control", cache, "Vary", "Accept-Encoding", ...commonHeaders(path)];
}

/** Headers of a whole file or a part of it; `length` is that of what is sent. */
export function fileHeaders(facts: FileFacts): string[] {
  const list = ["Content-Type", facts.type, "Content-Length", String(facts.length)];
  if (facts.encoding !== "identity") list.push("Content-Encoding", facts.encoding);
  list.push("Accept-Ranges", "bytes", ...validatorHeaders(facts));
  return list;
}

/** Headers of a 404 page: those of the page, but it must not be kept in the place of what may come to be there. */
export function missingPageHeaders(length: number): string[] {
  return [
    ...describeBody("text/html; charset=utf-8", length),
    "Cache-Control",
    "no-store",
    ...commonHeaders(".html"),
  ];
}

export function dynamicHeaders(type: string, etag: string, length: number): string[] {
  return [...describeBody(type, length), ...unchangedHeaders(etag)];
}

export function unchangedHeaders(etag: string): string[] {
  return ["ETag", etag, "Cache-Control", CACHE_RELEASE, ...EVERY_ANSWER, ...CORS];
}

/** Headers of errors and probes: JSON that nobody may keep. */
export function passingJsonHeaders(length: number): string[] {
  return [...describeBody(JSON_TYPE, length), "Cache-Control", "no-store", ...EVERY_ANSWER, ...CORS];
}

function describeBody(type: string, length: number): string[] {
  return ["Content-Type", type, "Content-Length", String(length)];
}

export function preflightHeaders(allow: string): string[] {
  return [
    "Allow",
    allow,
    ...CORS,
    "Access-Control-Allow-Methods",
    allow,
    "Access-Control-Allow-Headers",
    "Authorization, Content-Type, If-None-Match",
    "Access-Control-Max-Age",
    "86400",
  ];
}
