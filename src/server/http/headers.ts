/**
 * Response headers of the public surface (design 9). Lists are flat, as `writeHead` takes them: name, value, name, value.
 * They are mutable only because Node's types require it.
 */

import type { IncomingMessage } from "node:http";
import { FEED_TYPE } from "../../render/formats/feeds.ts";
import { routes } from "../../site/routes/routes.ts";
import type { Encoding } from "./negotiate.ts";

/** An erasure must reach the public within minutes, so caches may not keep answers for longer. */
const CACHE_RELEASE = "public, max-age=300, stale-while-revalidate=300";
const CACHE_FOREVER = "public, max-age=31536000, immutable";
/** Names under assets/ hold a hash of their content; tiles and signed heads never change once they are published. */
const IMMUTABLE = /^(assets|ledger\/tile|ledger\/checkpoints)\//;
/** The current tree head: monitors of the log must not see an old one for minutes (C2SP tlog-tiles). */
const NEWEST_HEAD = "ledger/checkpoint";
const CACHE_SECONDS = "public, max-age=5";
/** Answers that depend on the time of the request, and the files that replace them without a server. */
const CACHE_BRIEF = "public, max-age=10";
const BRIEF_FILES: ReadonlySet<string> = new Set(
  routes.filter(({ dependsOnTime }) => dependsOnTime).map((route) => route.filePath({})),
);
/** Counted answers have the rate-limit headers of whoever asked: a cache must not hand them to the holder of a key. */
const VARY_COUNTED = ["Vary", "Accept-Encoding, Authorization"];
export const PAGE_TYPE = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const CORS: readonly string[] = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  "Accept-Ranges, Content-Encoding, Content-Range, ETag, Link, RateLimit, RateLimit-Policy, Retry-After",
];

/** The one page that may ask a browser for its position, when its button is pressed. */
const POSITION_PAGE = "search/index.html";

const PAGE_SECURITY: readonly string[] = [
  "Content-Security-Policy",
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Frame-Options",
  "DENY",
  "Cross-Origin-Opener-Policy",
  "same-origin",
];

function permissions(path: string): readonly string[] {
  const geolocation = path === POSITION_PAGE ? "geolocation=(self)" : "geolocation=()";
  return ["Permissions-Policy", `camera=(), ${geolocation}, microphone=()`];
}

/** A feed holds XHTML for browsers: its style sheet may load, and nothing else. */
const FEED_SECURITY: readonly string[] = [
  "Content-Security-Policy",
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

const EVERY_ANSWER: readonly string[] = [
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "strict-origin-when-cross-origin",
];

/** Links from every page and API answer to the API description (RFC 8631) and the methodology. */
const SERVICE_LINKS: readonly string[] = [
  "Link",
  '</openapi.json>; rel="service-desc"; type="application/json", </agents/>; rel="service-doc"; type="text/html", </methodology/>; rel="describedby"; type="text/html"',
];

/** Headers that do not describe the body; `path` is that of the file below site/, even when no such file exists. */
function commonHeaders(path: string): string[] {
  if (path.endsWith(".html"))
    return [...EVERY_ANSWER, ...PAGE_SECURITY, ...permissions(path), ...SERVICE_LINKS];
  return [...EVERY_ANSWER, ...CORS, ...(path.startsWith("api/") ? SERVICE_LINKS : [])];
}

/** What describes a body, and headers of which a cache needs the second part with a 304 as well (RFC 9110 15.4.5). */
interface BodyFacts {
  readonly type: string;
  readonly length: number; // of what is sent
  readonly encoding?: Encoding;
  readonly validators: readonly string[];
}

/** Headers of a whole answer. */
export function wholeHeaders({ type, length, encoding = "identity", validators }: BodyFacts): string[] {
  return [...describeBody(type, length), ...encodedAs(encoding), ...validators];
}

function encodedAs(encoding: Encoding): string[] {
  return encoding === "identity" ? [] : ["Content-Encoding", encoding];
}

/** The same of a file or a part of it. */
export function fileHeaders(facts: BodyFacts): string[] {
  return wholeHeaders({ ...facts, validators: ["Accept-Ranges", "bytes", ...facts.validators] });
}

/** `path` is that of the file below site/. */
export function fileValidators(path: string, etag: string, lastModified?: string): string[] {
  const cache = ["Cache-Control", fileCache(path), "Vary", "Accept-Encoding"];
  return [...validatorsOf(etag, lastModified), ...cache, ...commonHeaders(path)];
}

function validatorsOf(etag: string, lastModified: string | undefined): string[] {
  return ["ETag", etag, ...(lastModified === undefined ? [] : ["Last-Modified", lastModified])];
}

/** Of a page that is filled in for its arguments; `path` is that of the page's file. */
export function pageValidators(path: string, etag: string): string[] {
  return ["ETag", etag, "Cache-Control", CACHE_RELEASE, ...VARY_COUNTED, ...commonHeaders(path)];
}

/** Of a computed answer; `isBrief`: it is valid for seconds. */
export function readValidators(etag: string, isBrief = false, lastModified?: string): string[] {
  const cache = ["Cache-Control", isBrief ? CACHE_BRIEF : CACHE_RELEASE, ...VARY_COUNTED];
  return [...validatorsOf(etag, lastModified), ...cache, ...EVERY_ANSWER, ...CORS, ...SERVICE_LINKS];
}

function fileCache(path: string): string {
  if (path === NEWEST_HEAD) return CACHE_SECONDS;
  if (BRIEF_FILES.has(path)) return CACHE_BRIEF;
  return IMMUTABLE.test(path) ? CACHE_FOREVER : CACHE_RELEASE;
}

/** Headers of an error page: those of the page, but not cached, since the address may exist later. */
export function refusedPageHeaders(length: number, path = ".html"): string[] {
  return [...describeBody(PAGE_TYPE, length), "Cache-Control", "no-store", ...commonHeaders(path)];
}

/** The page for an address without an answer: it holds nothing of anybody, and programs of other sites must see the status. */
export function missingPageHeaders(length: number): string[] {
  return [...refusedPageHeaders(length), ...CORS];
}

/** Headers of errors and probes: JSON that must not be cached. */
export function passingJsonHeaders(length: number): string[] {
  const passing = ["Cache-Control", "no-store", ...EVERY_ANSWER, ...CORS, ...SERVICE_LINKS];
  return [...describeBody(JSON_TYPE, length), ...passing];
}

/** Headers of a plain text for a person, which must not be cached. */
export function passingTextHeaders(length: number): string[] {
  return [
    ...describeBody("text/plain; charset=utf-8", length),
    "Cache-Control",
    "no-store",
    ...commonHeaders(".html"),
  ];
}

/** Headers of an MCP answer, which must not be cached; the answer to a notification has no body. */
export function mcpHeaders(length: number, encoding: Encoding = "identity"): string[] {
  if (length === 0) return ["Content-Length", "0", "Cache-Control", "no-store", ...EVERY_ANSWER, ...CORS];
  return [...passingJsonHeaders(length), ...encodedAs(encoding), "Vary", "Accept-Encoding"];
}

/**
 * The same headers for the request that they answer: with credentials, no shared cache may keep the answer, which
 * `public` would allow (RFC 9111 3.5).
 */
export function headersFor({ headers }: IncomingMessage, list: string[]): string[] {
  if (headers.authorization === undefined) return list;
  return list.map((value) => value.replace(/^public, /, "private, "));
}

function describeBody(type: string, length: number): string[] {
  return [
    "Content-Type",
    type,
    "Content-Length",
    String(length),
    ...(type === FEED_TYPE ? FEED_SECURITY : []),
  ];
}

/** The answer to OPTIONS that allows no other site anything. */
export function allowHeaders(allow: string): string[] {
  return ["Allow", allow, "Cache-Control", "no-store", ...EVERY_ANSWER];
}

export function preflightHeaders(allow: string): string[] {
  return describePreflight(
    allow,
    "Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range",
  );
}

export function mcpPreflightHeaders(allow: string): string[] {
  const protocol = "Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";
  return describePreflight(allow, `Accept, Authorization, Content-Type, ${protocol}`);
}

function describePreflight(allow: string, headers: string): string[] {
  return [
    "Allow",
    allow,
    ...CORS,
    "Access-Control-Allow-Methods",
    allow,
    "Access-Control-Allow-Headers",
    headers,
    "Access-Control-Max-Age",
    "86400",
  ];
}
