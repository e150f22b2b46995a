/**
 * Sends the body of a file. Large ones go out in pieces: a piece is what a client must take within the write timeout
 * (limits/connection-guard.ts), and files on disk never stand in memory as a whole.
 */

import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ByteRange } from "./conditional.ts";

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
