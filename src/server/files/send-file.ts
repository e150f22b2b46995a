import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import { fileHeaders, headersFor } from "../http/headers.ts";
import { prefersGzip } from "../http/negotiate.ts";
import { byteRange, isExpected, isUnchanged, wantedRange } from "./conditional.ts";
import { contentTypeOf } from "./content-type.ts";
import { type FileBody, sendBody } from "./send-body.ts";

/** An answer in one encoding, with its headers ready to be written. */
export interface Representation {
  readonly body: FileBody;
  readonly etag: string;
  readonly headers: string[]; // of the whole body
  readonly validators: string[]; // of a 304
}

/** A file: its path below `site/`, and its bytes as they are and, where that saves a packet, as gzip. */
export interface SiteFile {
  readonly path: string;
  readonly identity: Representation;
  readonly gzip: Representation | undefined;
}

/** Answers GET or HEAD with the body, or with a 304 to a client that has it. */
export function sendWhole(
  request: IncomingMessage,
  response: ServerResponse,
  { body, etag, headers, validators }: Representation,
): void {
  if (isUnchanged(request.headers["if-none-match"], etag)) {
    response.writeHead(304, headersFor(request, validators)).end();
    return;
  }
  response.writeHead(200, headersFor(request, headers));
  if (request.method === "HEAD") response.end();
  else sendBody(response, body);
}

/**
 * The same from a file: gzip, one byte range (of the identity, whatever encodings are accepted).
 * Throws PublicError 412 when If-Match names other bytes.
 */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SiteFile): void {
  const { headers } = request;
  const isRangeRequest = headers.range !== undefined && request.method === "GET";
  const isZipped = !isRangeRequest && prefersGzip(headers["accept-encoding"]);
  const chosen = (isZipped ? file.gzip : undefined) ?? file.identity;
  if (!isExpected(headers["if-match"], chosen.etag))
    throw new PublicError(412, "the file has changed: If-Match names another version");
  if (
    !isRangeRequest ||
    isUnchanged(headers["if-none-match"], chosen.etag) ||
    !sendRange(request, response, file)
  )
    sendWhole(request, response, chosen);
}

/** False when the whole file is to be sent after all. */
function sendRange(request: IncomingMessage, response: ServerResponse, file: SiteFile): boolean {
  const { body, etag, validators } = file.identity;
  const range = byteRange(wantedRange(request.headers, etag), body.length);
  if (range === undefined) return false;
  const length = range === null ? 0 : range.end - range.start + 1;
  const span = range === null ? "*" : `${range.start}-${range.end}`;
  const headers = fileHeaders({ type: contentTypeOf(file.path), length, validators });
  response.writeHead(range === null ? 416 : 206, [
    ...headersFor(request, headers),
    "Content-Range",
    `bytes ${span}/${body.length}`,
  ]);
  if (range === null) response.end();
  else sendBody(response, body, range);
  return true;
}
