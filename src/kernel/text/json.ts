/** RFC 8785 (JSON Canonicalization Scheme). ECMAScript's own number and string forms are the canonical ones. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** Throws TypeError for what JSON cannot carry exactly: non-finite numbers and lone surrogates (RFC 8785 3.2.2). */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`not a JSON number: ${value}`);
  if (typeof value === "string") return canonicalString(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // RFC 8785 3.2.3 orders keys by UTF-16 code units, which is what Array#sort does.
  const members = Object.keys(value)
    .sort()
    .map((key) => `${canonicalString(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("lone surrogate in a string");
  return JSON.stringify(text);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A member of this name may be in the text literally or escaped. */
const MAY_HIDE = /toString|\\u/;

/**
 * JSON from a stranger. A member `toString` shadows what every object needs to be compared or shown, and schemas that measure
 * `length` (zod 4.6) throw at such an object in place of refusing it; so it stays a member, with the method of all objects as
 * its value. Everything else is as JSON.parse makes it. Throws SyntaxError as JSON.parse does.
 */
export function parseUntrustedJson(text: string): unknown {
  return MAY_HIDE.test(text) ? JSON.parse(text, convertible) : JSON.parse(text);
}

function convertible(key: string, value: unknown): unknown {
  return key === "toString" ? Object.prototype.toString : value;
}
