import type { IncomingMessage, ServerResponse } from "node:http";
import { unknownName } from "../../contract/faults.ts";
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
    if (name === "__proto__") throw unknownName("parameter", ["__proto__"], []);
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

const MAX_UNREAD_BYTES = 32 * 1024;

/** Whether the request announces a body (RFC 9112 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/**
 * Read a body that nobody asked for to its end, so that the connection can go on. Throws PublicError 413 as soon as it is,
 * or says that it will be, larger than the limit; the caller must then close the connection.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  for await (const _ of chunks(request, MAX_UNREAD_BYTES));
}

/** The body as text. Throws PublicError 413 and 400 as `discardBody` does; the caller must then close the connection. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const read: Buffer[] = [];
  for await (const chunk of chunks(request, maxBytes)) read.push(chunk);
  return Buffer.concat(read).toString("utf8");
}

async function* chunks(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  if (!hasBody(request)) return; // nothing comes, nor an end
  const tooLarge = () => new PublicError(413, `the request body must be at most ${maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge();
  let bytes = 0;
  try {
    // The stream must live on after an early exit: the answer goes out on the same socket.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
      yield chunk;
    }
  } catch {
    throw new PublicError(400, "the request body is incomplete"); // the client went away: no fault of ours
  }
  if (bytes > maxBytes) throw tooLarge();
}

/** Throws PublicError 403 for a write that a page of another site made a browser send. */
export function refuseOtherSites(request: IncomingMessage, hosts: ReadonlySet<string>): void {
  if (isSameOrigin(request, hosts)) return;
  throw new PublicError(
    403,
    "this was sent from another site: use the form on this site, or send it from a program",
  );
}

/**
 * Whether a write was sent from a page of ours, by what browsers say of it: `Sec-Fetch-Site`, else `Origin`. Whoever sends neither is no browser
 * that another site could misuse. `hosts` are the names the service is reached by.
 */
export function isSameOrigin({ headers }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  return hosts.has(URL.parse(origin)?.hostname ?? "");
}
