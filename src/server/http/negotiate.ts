import type { IncomingHttpHeaders } from "node:http";
import { sha256Hex } from "../../kernel/hash.ts";

/** The encoding that a client wants most, by Accept-Encoding (RFC 9110 12.5.3). Plain bytes are always the last resort. */

/** How an answer is encoded; `identity` is the file itself. */
export type Encoding = "identity" | "gzip" | "br" | "zstd";

const MAX_REMEMBERED = 1000;
const MAX_HEADER = 200; // to be remembered
/** Beyond this, what a client accepts is not looked for. */
const MAX_PARSED = 1000;
/** Clients send the same few headers again and again. */
const remembered = new Map<string, Weights>();

type Weights = ReadonlyMap<string, number>;

export function prefersGzip(header: string | undefined): boolean {
  return preferredEncoding(header, ["gzip"]) === "gzip";
}

/** One of the offered encodings, of which the client takes the first where it wants several equally; else `identity`. */
export function preferredEncoding(header: string | undefined, offered: readonly Encoding[]): Encoding {
  const weights = header === undefined ? undefined : weightsIn(header);
  let preferred: Encoding = "identity";
  if (weights === undefined) return preferred;
  let most = weights.get(preferred) ?? 0;
  for (const encoding of offered) {
    // Clients that accept "*" seldom decode everything, and all of them decode gzip.
    const weight = weights.get(encoding) ?? (encoding === "gzip" ? weights.get("*") : undefined) ?? 0;
    if (weight === 0 || weight < most || (weight === most && preferred !== "identity")) continue;
    most = weight;
    preferred = encoding;
  }
  return preferred;
}

function weightsIn(header: string): Weights | undefined {
  const known = remembered.get(header);
  if (known !== undefined) return known;
  if (header.length > MAX_PARSED) return undefined;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    weights.set(name, weightOf(parameters));
  }
  if (remembered.size < MAX_REMEMBERED && header.length <= MAX_HEADER) remembered.set(header, weights);
  return weights;
}

/** 1 without `q`; 0 for an invalid weight (RFC 9110 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  if (weight === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}

const DIGITS = 32;

/** The opaque part of an entity tag. Says nothing of when or where the body was made, so every server of a release gives the same. */
export function tagOf(body: Buffer): string {
  return sha256Hex(body).slice(0, DIGITS);
}

/** A strong entity tag (RFC 9110 8.8.3); that of an encoded body differs from the plain one's. */
export function entityTag(tag: string, encoding: Encoding = "identity"): string {
  return encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** Conditional and range requests (RFC 9110 13 and 14). */

/** Whether If-None-Match names this entity tag. Weak comparison: `W/` in front does not matter. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** What tells one body at an address from others. `lastModified`: of each body another, in the order of their publication. */
export interface Validators {
  readonly etag: string;
  readonly lastModified?: string | undefined;
}

/**
 * Whether the client has this body already. Only the very date that we sent counts, as in nginx: a later one is the client's own, and it may have
 * got the body before while this one was being published.
 */
export function isKnown(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) return isUnchanged(tags, etag);
  return lastModified !== undefined && headers["if-modified-since"] === lastModified;
}

/** Whether a request states what it expects the body to be. */
export function hasExpectation(headers: IncomingHttpHeaders): boolean {
  return headers["if-match"] !== undefined || headers["if-unmodified-since"] !== undefined;
}

/** Whether If-Match names this body (strong comparison) or, without it, the body is no newer than If-Unmodified-Since (RFC 9110 13.2.2). */
export function isExpected(headers: IncomingHttpHeaders, { etag, lastModified = "" }: Validators): boolean {
  const tags = headers["if-match"];
  if (tags !== undefined) return tags.trim() === "*" || tags.split(",").some((tag) => tag.trim() === etag);
  // What is no date is ignored.
  return !(httpDate(lastModified) > httpDate(headers["if-unmodified-since"] ?? ""));
}

function httpDate(text: string): number {
  const ms = Date.parse(text);
  return new Date(ms).toUTCString() === text ? ms : Number.NaN;
}

/** The Range header, unless If-Range says that it was meant for other bytes. */
export function wantedRange(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): string | undefined {
  const ifRange = headers["if-range"];
  return ifRange === undefined || ifRange === etag || ifRange === lastModified ? headers.range : undefined;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number; // inclusive
}

/** The single byte range within `length`; undefined to serve the whole file (no, several or malformed ranges); null for 416. */
export function byteRange(header: string | undefined, length: number): ByteRange | null | undefined {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim());
  if (match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") return suffixRange(Number(last), length);
  const start = Number(first);
  const end = last === "" ? length - 1 : Math.min(Number(last), length - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= length ? null : { start, end };
}

function suffixRange(count: number, length: number): ByteRange | null {
  if (count === 0 || length === 0) return null;
  return { start: Math.max(0, length - count), end: length - 1 };
}
