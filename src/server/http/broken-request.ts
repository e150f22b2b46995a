import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { passingJsonHeaders } from "./headers.ts";

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
  const body = `${JSON.stringify({ error: text })}\n`;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Connection: close"];
  const headers = passingJsonHeaders(Buffer.byteLength(body));
  for (const [index, name] of headers.entries()) {
    if (index % 2 === 0) lines.push(`${name}: ${headers[index + 1]}`);
  }
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref(); // a client that never closes its side holds nothing
  return status;
}
