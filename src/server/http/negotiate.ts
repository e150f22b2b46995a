/** Encodings that a client accepts, best first, by Accept-Encoding (RFC 9110 12.5.3). Identity is always the last resort. */

import type { Encoding } from "../../kernel/files/compressed-twins.ts";

const SMALLEST_FIRST = ["br", "gzip", "identity"] as const satisfies readonly Encoding[];
const IDENTITY_ONLY: readonly Encoding[] = ["identity"];
const MAX_REMEMBERED = 1000;
const MAX_HEADER = 200; // to be remembered
/** Beyond this, what a client accepts is not looked for. */
const MAX_PARSED = 1000;
/** Clients send the same few headers again and again. */
const remembered = new Map<string, readonly Encoding[]>();

export function acceptedEncodings(header: string | undefined): readonly Encoding[] {
  if (header === undefined) return IDENTITY_ONLY;
  const known = remembered.get(header);
  if (known !== undefined) return known;
  if (header.length > MAX_PARSED) return IDENTITY_ONLY;
  const accepted = parseEncodings(header);
  if (remembered.size < MAX_REMEMBERED && header.length <= MAX_HEADER) remembered.set(header, accepted);
  return accepted;
}

function parseEncodings(header: string): readonly Encoding[] {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    weights.set(name, weightOf(parameters));
  }
  // Identity needs no mention; then it comes after all that were named.
  const weightFor = (encoding: Encoding) =>
    weights.get(encoding) ?? (encoding === "identity" ? Number.MIN_VALUE : (weights.get("*") ?? 0));
  const accepted = SMALLEST_FIRST.filter((encoding) => weightFor(encoding) > 0).sort(
    (a, b) => weightFor(b) - weightFor(a),
  );
  return accepted.includes("identity") ? accepted : [...accepted, "identity"];
}

/** 1 without `q`; 0 for an invalid weight (RFC 9110 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  if (weight === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
