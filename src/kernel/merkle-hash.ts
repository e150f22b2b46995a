/** The two hashes of a Merkle tree (RFC 6962, section 2.1): prefixes 0x00 and 0x01 keep leaves and nodes apart. */

import { hash } from "node:crypto";
import type { Bytes } from "./hash.ts";

const LEAF_PREFIX = Buffer.of(0);
const NODE_PREFIX = Buffer.of(1);
export const EMPTY_ROOT: Buffer = digest("");

export function leafHash(entry: Bytes): Buffer {
  return digest(typeof entry === "string" ? `\0${entry}` : Buffer.concat([LEAF_PREFIX, entry]));
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return digest(Buffer.concat([NODE_PREFIX, left, right]));
}

/** SHA-256, by way of a string, because Node takes twice as long to return a buffer. */
function digest(data: Bytes): Buffer {
  return Buffer.from(hash("sha256", data, "binary"), "binary");
}
