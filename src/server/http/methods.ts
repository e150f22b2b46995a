import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import { preflightHeaders } from "./headers.ts";

/** Methods of every published address. */
const ALLOW = "GET, HEAD, OPTIONS";

export function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

/** Throws PublicError 405 unless the request is a read. */
export function refuseOtherMethods(request: IncomingMessage, response: ServerResponse): void {
  if (isRead(request)) return;
  response.setHeader("Allow", ALLOW);
  throw new PublicError(405, `method not allowed here; allowed: ${ALLOW}`);
}

export function sendPreflight(response: ServerResponse): void {
  response.writeHead(204, preflightHeaders(ALLOW)).end();
}
