/** Requests and answers of the desk. It is for people who are signed in, so nothing of it is kept by caches, and no other site may use it. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { z } from "zod";
import { faultName, PublicError } from "../kernel/errors.ts";
import { hostFault, readBody } from "../server/http/request.ts";
import { parsedJson } from "./crossing.ts";

const MAX_BODY_BYTES = 64 * 1024;

const SECURITY: readonly (readonly [string, string])[] = [
  ["Cache-Control", "no-store"],
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Permissions-Policy", "camera=(), geolocation=(), microphone=()"],
  ["X-Robots-Tag", "noindex"],
];

export interface Sent {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: readonly (readonly [string, string])[];
}

export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, type, body, headers = [] }: Sent,
): void {
  const bytes = Buffer.from(body);
  for (const [name, value] of [...SECURITY, ...headers]) response.setHeader(name, value);
  response.writeHead(status, { "Content-Type": `${type}; charset=utf-8`, "Content-Length": bytes.length });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

export function json(value: object, headers: Sent["headers"] = []): Sent {
  return { type: "application/json", body: JSON.stringify(value), headers };
}

export function failed({ status, message, details }: PublicError): Sent {
  const wait = details["retry_after_s"];
  return {
    status,
    type: "application/json",
    body: JSON.stringify({ error: message, status: STATUS_CODES[status] }),
    headers: typeof wait === "number" ? [["Retry-After", String(wait)]] : [],
  };
}

/** Throws PublicError for a write that no page of the desk made: JSON, from its own origin, with the token of the session where there is one. */
export function assertOwnPage({ headers }: IncomingMessage, origin: string, token: string | undefined): void {
  const site = headers["sec-fetch-site"];
  const isOwn = headers.origin === origin && (site === undefined || site === "same-origin");
  if (!isOwn) throw new PublicError(403, "this was sent from another site");
  if (!/^application\/json\b/i.test(headers["content-type"] ?? ""))
    throw new PublicError(415, "send application/json");
  if (token !== undefined && headers["x-desk-token"] !== token)
    throw new PublicError(403, "this page is of an earlier session: load it again");
}

/** Throws PublicError for a Host header that is none. */
export function assertHost(request: IncomingMessage): void {
  const fault = hostFault(request);
  if (fault !== undefined) throw new PublicError(400, fault);
}

/** Throws PublicError 400 or 413 for another body than the schema's. */
export async function bodyOf<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  const text = await readBody(request, MAX_BODY_BYTES);
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new PublicError(400, "the request does not have the members that it needs");
}

/** The value of a cookie; undefined where it is sent several times, which no browser of ours does. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const found = (headers.cookie ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}

/** A failure for the log: what it was and where, without its message, which may quote a value. */
export function faultOf(error: unknown): string {
  const place = error instanceof Error ? /^\s+at .*/m.exec(error.stack ?? "")?.[0].trim() : undefined;
  return place === undefined ? faultName(error) : `${faultName(error)} ${place}`;
}
