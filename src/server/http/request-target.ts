import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import type { QueryValues } from "../../resources/define.ts";

const HOST = /^(?:[\w.~%!$&'()*+;=-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Throws PublicError 400, after which the connection ends: others may have understood it differently. */
export function checkHost(request: IncomingMessage, response: ServerResponse): void {
  const fault = hostFault(request);
  if (fault === undefined) return;
  response.setHeader("Connection", "close");
  throw new PublicError(400, fault);
}

/** What is wrong with the Host header, which every request of HTTP/1.1 has once (RFC 9112 3.2). Of several, Node shows only the first. */
export function hostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1" ? "the Host header is missing" : undefined;
  if (!HOST.test(host)) return "the Host header must be a host name with an optional port";
  return hasSeveralHosts(rawHeaders) ? "the Host header must be sent only once" : undefined;
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/** The target of a request: its path, normalized but still percent-encoded, and its query without the question mark. */
export interface RequestTarget {
  readonly pathname: string;
  readonly query: string;
}

/** Longer than any address of the service with its longest cursor. Beyond Node's own limit of 16 kB the answer is 431. */
const MAX_LENGTH = 8000;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const FORBIDDEN = /[\p{Cc}\\]/u;

/**
 * Read the target of a request (RFC 9112 3.2.1, origin form only). Throws PublicError 414 when it is too long, and 400 for
 * malformed percent-encoding, control characters, backslashes and dot segments: no address of ours holds any of these.
 */
export function parseTarget(raw: string): RequestTarget {
  if (raw.length > MAX_LENGTH)
    throw new PublicError(414, `the address must be at most ${MAX_LENGTH} characters long`);
  if (!raw.startsWith("/")) throw new PublicError(400, "the request address must be a path: /…");
  const url = raw.replace(/[\u0080-\u00ff]/g, percentEncoded);
  const mark = url.indexOf("?");
  const pathname = normalised(mark < 0 ? url : url.slice(0, mark));
  if (FORBIDDEN.test(decoded(pathname, "the path")))
    throw new PublicError(400, "the path must not contain a control character or a backslash");
  if (pathname.split("/").some((segment) => segment === "." || segment === ".."))
    throw new PublicError(400, "the path must not contain a dot segment");
  return { pathname, query: mark < 0 ? "" : url.slice(mark + 1) };
}

/** Some clients send UTF-8 as it is; Node hands it on as one character a byte. */
function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A letter may be written as itself or percent-encoded: one spelling for each address (RFC 3986 6.2.2). */
function normalised(pathname: string): string {
  if (!pathname.includes("%")) return pathname;
  return pathname.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return UNRESERVED.test(character) ? character : triplet.toUpperCase();
  });
}

/** The parameters of a query; one that is repeated has all its values. Throws PublicError 400 for malformed encoding. */
export function parseQuery(query: string): QueryValues {
  decoded(query, "the query");
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    // Schemas pass over this one name in silence, and an unknown parameter must be a 400.
    if (name === "__proto__") throw new PublicError(400, "unknown parameter: __proto__");
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else if (typeof before === "string") values.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(values);
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PublicError(400, `malformed percent-encoding in ${what}`);
  }
}
