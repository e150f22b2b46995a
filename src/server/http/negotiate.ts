/** Whether a client takes gzip rather than plain bytes, by Accept-Encoding (RFC 9110 12.5.3). Plain bytes are always the last resort. */

/** How an answer is encoded; `identity` is the file itself. */
export type Encoding = "identity" | "gzip";

const MAX_REMEMBERED = 1000;
const MAX_HEADER = 200; // to be remembered
/** Beyond this, what a client accepts is not looked for. */
const MAX_PARSED = 1000;
/** Clients send the same few headers again and again. */
const remembered = new Map<string, boolean>();

export function prefersGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  const known = remembered.get(header);
  if (known !== undefined) return known;
  if (header.length > MAX_PARSED) return false;
  const isPreferred = parsePreference(header);
  if (remembered.size < MAX_REMEMBERED && header.length <= MAX_HEADER) remembered.set(header, isPreferred);
  return isPreferred;
}

function parsePreference(header: string): boolean {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    weights.set(name, weightOf(parameters));
  }
  const gzip = weights.get("gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0);
}

/** 1 without `q`; 0 for an invalid weight (RFC 9110 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  if (weight === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
}
