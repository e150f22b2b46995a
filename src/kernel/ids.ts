import { randomBytes } from "node:crypto";
import { sha256 } from "./hash.ts";

/** The source of randomness; tests and the demonstration pass a seeded one. */
export type RandomBytes = (size: number) => Buffer;

export const systemRandom: RandomBytes = (size) => randomBytes(size);

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's alphabet, lower case

/** A public id such as `pr_7k2m…`: the prefix and 80 random bits in 16 base-32 characters. */
export function newPublicId(prefix: string, random: RandomBytes): string {
  return `${prefix}_${base32(random(10))}`;
}

/** The public id in a text that is one, or the address of a record's page; undefined for any other text. */
export function publicIdIn(text: string): string | undefined {
  return /^(?:(?:https?:\/\/[^/?#]+)?\/record\/)?([a-z]+_\w+)\/?$/.exec(text)?.[1];
}

/** Base 32 in Crockford's alphabet, lower case: 8 characters for each 5 bytes. Drops trailing bits that do not fill a character. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}

/** A UUID (version 8, RFC 9562) made from a hash of `text`: the same text always gives the same id. */
export function uuidFromText(text: string): string {
  const bytes = sha256(text).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
