import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import { passingJsonHeaders } from "./headers.ts";

/** The one shape of every error: `{"error": "…"}`, with further members where the operation defines them (interface 7). */
export function sendError(request: IncomingMessage, response: ServerResponse, error: PublicError): void {
  const { retry_after_s: wait } = error.details;
  if (typeof wait === "number") response.setHeader("Retry-After", String(wait));
  sendPassingJson(request, response, error.status, { error: error.message, ...error.details });
}

/** An answer that must not be kept: errors and probes. */
export function sendPassingJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: object,
): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(status, passingJsonHeaders(body.length));
  response.end(request.method === "HEAD" ? undefined : body);
}

/** The public form of an unknown failure: only an id that the operator finds in the log. */
export function publicErrorOf(error: unknown, log: Log, requestId: string): PublicError {
  if (error instanceof PublicError) return error;
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("request_failed", { request_id: requestId, fault });
  return new PublicError(500, "internal error", { request_id: requestId });
}
