import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { codeOfStatus, PublicError } from "../../kernel/errors.ts";
import type { Log } from "../../kernel/log.ts";
import { passingJsonHeaders, preflightHeaders } from "./headers.ts";

/** The one shape of every error: `{"error": "…", "code": "…"}`, with further members where the operation defines them (interface 7). */
export function sendError(request: IncomingMessage, response: ServerResponse, error: PublicError): void {
  const { retry_after_s: wait } = error.details;
  if (typeof wait === "number") response.setHeader("Retry-After", String(wait));
  sendPassingJson(request, response, error.status, bodyOf(error));
}

function bodyOf({ message, status, details }: PublicError): object {
  return { error: message, code: codeOfStatus(status), ...details };
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

/** Statuses of requests that Node's parser refused, by its error code (RFC 9110 15.5, RFC 6585 5). */
const REFUSALS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "the request line and headers must be at most 16 kB"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request took too long to arrive"],
};

/** Time for the answer to be read before the connection goes. */
const LINGER_MS = 1000;

/**
 * Answer, in the same form as every other error, a request that never became one; then close the connection. Returns the status, or undefined
 * when nobody is there any more.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): number | undefined {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [status, text] = REFUSALS[error.code ?? ""] ?? [400, "the request is not valid HTTP"];
  const body = `${JSON.stringify(bodyOf(new PublicError(status, text)))}\n`;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Connection: close"];
  const headers = passingJsonHeaders(Buffer.byteLength(body));
  for (const [index, name] of headers.entries()) {
    if (index % 2 === 0) lines.push(`${name}: ${headers[index + 1]}`);
  }
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref(); // a client that never closes its side holds nothing
  return status;
}

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
