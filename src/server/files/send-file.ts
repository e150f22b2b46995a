import type { IncomingMessage, ServerResponse } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import { fileHeaders, headersFor } from "../http/headers.ts";
import { prefersGzip } from "../http/negotiate.ts";
import { byteRange, isExpected, isUnchanged, wantedRange } from "./conditional.ts";
import { contentTypeOf } from "./content-type.ts";
import type { SiteFile } from "./file-cache.ts";
import { sendBody } from "./send-body.ts";

/**
 * Answer GET or HEAD from a file: gzip, 304, one byte range (of the identity, whatever encodings are accepted).
 * Throws PublicError 412 when If-Match names other bytes.
 */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SiteFile): void {
  const { headers } = request;
  const isRangeRequest = headers.range !== undefined && request.method === "GET";
  const isZipped = !isRangeRequest && prefersGzip(headers["accept-encoding"]);
  const chosen = (isZipped ? file.gzip : undefined) ?? file.identity;
  if (!isExpected(headers["if-match"], chosen.etag))
    throw new PublicError(412, "the file has changed: If-Match names another version");
  if (isUnchanged(headers["if-none-match"], chosen.etag)) {
    response.writeHead(304, headersFor(request, chosen.validators)).end();
  } else if (!isRangeRequest || !sendRange(request, response, file)) {
    response.writeHead(200, headersFor(request, chosen.headers));
    if (request.method === "HEAD") response.end();
    else sendBody(response, chosen.body);
  }
}

/** False when the whole file is to be sent after all. */
function sendRange(request: IncomingMessage, response: ServerResponse, file: SiteFile): boolean {
  const { body, etag } = file.identity;
  const range = byteRange(wantedRange(request.headers, etag), body.length);
  if (range === undefined) return false;
  const length = range === null ? 0 : range.end - range.start + 1;
  const span = range === null ? "*" : `${range.start}-${range.end}`;
  const { path } = file;
  const facts = { path, type: contentTypeOf(path), length, etag, encoding: "identity" } as const;
  response.writeHead(range === null ? 416 : 206, [
    ...headersFor(request, fileHeaders(facts)),
    "Content-Range",
    `bytes ${span}/${body.length}`,
  ]);
  if (range === null) response.end();
  else sendBody(response, body, range);
  return true;
}
