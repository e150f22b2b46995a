import type { IncomingHttpHeaders } from "node:http";
import { sha256Hex } from "../../kernel/hash.ts";
import type { Encoding } from "../http/negotiate.ts";

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

/** Whether If-Match names this entity tag, or is absent. Strong comparison. */
export function isExpected(ifMatch: string | undefined, etag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === "*") return true;
  return ifMatch.split(",").some((tag) => tag.trim() === etag);
}

/** The Range header, unless If-Range says that it was meant for other bytes. We send no dates, so a date never matches. */
export function wantedRange(headers: IncomingHttpHeaders, etag: string): string | undefined {
  const ifRange = headers["if-range"];
  return ifRange === undefined || ifRange === etag ? headers.range : undefined;
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
