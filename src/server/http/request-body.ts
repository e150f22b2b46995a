import type { IncomingMessage } from "node:http";
import { PublicError } from "../../kernel/errors.ts";

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
