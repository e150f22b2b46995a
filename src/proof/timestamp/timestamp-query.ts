import { type Bytes, sha256 } from "../../kernel/hash.ts";
import type { RandomBytes } from "../../kernel/ids.ts";

export interface TimestampQuery {
  readonly body: Buffer; // DER of a TimeStampReq
  readonly nonce: Buffer; // 8 bytes; an answer must repeat it
}

const NONCE_BYTES = 8;

/** What stands before the hash: SEQUENCE, version 1, message imprint with the identifier of SHA-256 (RFC 3161, 2.4.1). */
const HEAD = Buffer.from("30430201013031300d060960864801650304020105000420", "hex");
const CERTIFICATE_WANTED = Buffer.from("0101ff", "hex");

/** Asks for a stamp over SHA-256 of `message`, with the authority's certificate in the answer. */
export function timestampQuery(message: Bytes, random: RandomBytes): TimestampQuery {
  const nonce = Buffer.from(random(NONCE_BYTES));
  nonce[0] = 1 + ((nonce[0] ?? 0) % 0x7f); // positive, and the shortest form of its number
  const integer = Buffer.from([0x02, NONCE_BYTES]);
  return { body: Buffer.concat([HEAD, sha256(message), integer, nonce, CERTIFICATE_WANTED]), nonce };
}
