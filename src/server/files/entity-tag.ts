import type { Encoding } from "../../kernel/files/compressed-twins.ts";
import { sha256Hex } from "../../kernel/hash.ts";

const DIGITS = 32;

/** The opaque part of an entity tag. Says nothing of when or where the body was made, so every server of a release gives the same. */
export function tagOf(body: Buffer): string {
  return sha256Hex(body).slice(0, DIGITS);
}

/** A strong entity tag (RFC 9110 8.8.3); that of an encoded body differs from the plain one's. */
export function entityTag(tag: string, encoding: Encoding = "identity"): string {
  return encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`;
}
