/**
 * The form of an API key: `ppes_live_`, 30 random base-62 digits (178 bits), and their CRC-32 in 6 more. The fixed beginning lets scanners find
 * leaked keys, the checksum lets anyone refuse junk without asking a database.
 */

import { timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { sha256Hex } from "../../kernel/hash.ts";
import type { RandomBytes } from "../../kernel/ids.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const START = "ppes_live_";
const BODY_LENGTH = 30;
const CHECK_LENGTH = 6;
const KEY_FORM = new RegExp(`^${START}([0-9A-Za-z]{${BODY_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`);

/** How much of a key may be shown: enough to tell a few keys apart. */
const PREFIX_LENGTH = 12;

export function newPartnerKey(random: RandomBytes): string {
  let body = "";
  while (body.length < BODY_LENGTH) {
    // A byte of 248 or more would make the first digits likelier than the last ones.
    const digits = [...random(BODY_LENGTH)].filter((byte) => byte < 248).map((byte) => BASE62[byte % 62]);
    body += digits.join("").slice(0, BODY_LENGTH - body.length);
  }
  return `${START}${body}${checksum(body)}`;
}

export function isPartnerKey(text: string): boolean {
  const [, body = "", check] = KEY_FORM.exec(text) ?? [];
  return check !== undefined && check === checksum(body);
}

export function keyPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** A plain hash suffices for 178 random bits. */
export function keyHash(key: string): string {
  return sha256Hex(key);
}

/** Compares hashes in hexadecimal in a time that does not depend on them. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, "hex"), Buffer.from(other, "hex")];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let at = 0; at < CHECK_LENGTH; at += 1) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
