import { createReadStream } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PublicError } from "../../kernel/errors.ts";
import { fileHeaders, headersFor } from "../http/headers.ts";
import {
  type ByteRange,
  byteRange,
  isExpected,
  isKnown,
  prefersGzip,
  type Validators,
  wantedRange,
} from "../http/negotiate.ts";
import { contentTypeOf } from "./content-type.ts";

/** An answer in one encoding, with its headers ready to be written. */
export interface Representation extends Validators {
  readonly body: FileBody;
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
  representation: Representation,
): void {
  const { body, headers, validators } = representation;
  if (isKnown(request.headers, representation)) {
    response.writeHead(304, headersFor(request, validators)).end();
    return;
  }
  response.writeHead(200, headersFor(request, headers));
  if (request.method === "HEAD") response.end();
  else sendBody(response, body);
}

/**
 * The same from a file: gzip, one byte range (of the identity, whatever encodings are accepted).
 * Throws PublicError 412 when the client expects other bytes.
 */
export function sendFile(request: IncomingMessage, response: ServerResponse, file: SiteFile): void {
  const { headers } = request;
  const isRangeRequest = headers.range !== undefined && request.method === "GET";
  const isZipped = !isRangeRequest && prefersGzip(headers["accept-encoding"]);
  const chosen = (isZipped ? file.gzip : undefined) ?? file.identity;
  if (!isExpected(headers, chosen))
    throw new PublicError(412, "the file has changed: If-Match or If-Unmodified-Since is of another version");
  if (!isRangeRequest || isKnown(headers, chosen) || !sendRange(request, response, file))
    sendWhole(request, response, chosen);
}

/** False when the whole file is to be sent after all. */
function sendRange(request: IncomingMessage, response: ServerResponse, file: SiteFile): boolean {
  const { body, validators } = file.identity;
  const range = byteRange(wantedRange(request.headers, file.identity), body.length);
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

/**
 * Sends the body of a file. Large ones go out in pieces: a piece is what a client must take within the write timeout
 * (limits/connection-guard.ts), and files on disk never stand in memory as a whole.
 */

/** A file too large for memory. */
export interface DiskBody {
  readonly file: string; // path on this machine
  readonly length: number; // bytes
}

export type FileBody = Buffer | DiskBody;

const PIECE_BYTES = 256 * 1024;
/** Node writes a head and a text up to 16 KiB at once, a head and a Buffer as two pieces. */
const ONE_WRITE_BYTES = 14 * 1024;

/** Ends the response with the body, or with a range of it. The head must have been written. */
export function sendBody(response: ServerResponse, body: FileBody, range?: ByteRange): void {
  const { start, end } = range ?? { start: 0, end: body.length - 1 };
  if (!("file" in body) && end - start < PIECE_BYTES) {
    if (end - start < ONE_WRITE_BYTES) response.end(body.toString("latin1", start, end + 1), "latin1");
    else response.end(body.subarray(start, end + 1));
    return;
  }
  const source =
    "file" in body
      ? createReadStream(body.file, { start, end, highWaterMark: PIECE_BYTES })
      : Readable.from(pieces(body, start, end));
  pipeline(source, response).catch(() => response.destroy()); // the client left, or the release was pruned
}

function* pieces(body: Buffer, start: number, end: number): Generator<Buffer> {
  for (let from = start; from <= end; from += PIECE_BYTES)
    yield body.subarray(from, Math.min(from + PIECE_BYTES, end + 1));
}
