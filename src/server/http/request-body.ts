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
  await readChunks(request, MAX_UNREAD_BYTES, () => undefined);
}

/** The body as text. Throws PublicError 413 and 400 as `discardBody` does; the caller must then close the connection. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const read: Buffer[] = [];
  await readChunks(request, maxBytes, (chunk) => void read.push(chunk));
  return Buffer.concat(read).toString("utf8");
}

/** By events: an iterator over the stream takes as long as the rest of a small answer. */
function readChunks(
  request: IncomingMessage,
  maxBytes: number,
  take: (chunk: Buffer) => void,
): Promise<void> {
  if (!hasBody(request)) return Promise.resolve(); // its stream has no events
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuse = () => {
    // The stream must live on after an early exit: the answer goes out on the same socket.
    request.off("data", onData).pause();
    reject(new PublicError(413, `the request body must be at most ${maxBytes} bytes`));
  };
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) refuse();
    else take(chunk);
  };
  const onClose = () => reject(new PublicError(400, "the request body is incomplete")); // the client left
  if (request.destroyed) onClose();
  else if (Number(request.headers["content-length"] ?? 0) > maxBytes) refuse();
  else request.on("data", onData).once("end", resolve).once("error", onClose).once("close", onClose);
  return promise;
}
