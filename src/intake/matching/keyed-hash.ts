import { hash } from "node:crypto";
import type { AssetType, PresenceKind } from "../../contract/enums.ts";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const ROOM = 4096;

/** HMAC-SHA-256 of a text under one key, as 64 hexadecimal digits. */
export type KeyedHash = (text: string) => string;

/**
 * HMAC-SHA-256 (RFC 2104) by two one-shot hashes over prepared blocks: intake needs several per line, and an Hmac object costs
 * about ten times as much. The blocks belong to the returned function, which is not re-entrant (nor need it be).
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  const short = key.length > BLOCK_BYTES ? hash("sha256", key, "buffer") : key;
  const inner = Buffer.alloc(BLOCK_BYTES + ROOM, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  short.forEach((byte, at) => {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  });
  return (text) => {
    outer.write(hash("sha256", message(inner, text), "hex"), BLOCK_BYTES, "hex");
    return hash("sha256", outer, "hex");
  };
}

function message(inner: Buffer, text: string): Buffer {
  if (text.length * 3 > ROOM) return Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]);
  return inner.subarray(0, BLOCK_BYTES + inner.write(text, BLOCK_BYTES));
}

/** What seeing an asset of a type says (design 6). */
export const PRESENCE_KINDS: Readonly<Record<AssetType, PresenceKind>> = {
  storefront: "location_presence",
  site_sign: "location_presence",
  billboard: "location_presence",
  vehicle_wrap: "mobile_presence",
  temp_sign: "brand_mention",
};

export function isMobile(assetType: AssetType): boolean {
  return PRESENCE_KINDS[assetType] === "mobile_presence";
}
