import { createHmac, hash } from "node:crypto";

export type Bytes = string | Uint8Array;

export function sha256(data: Bytes): Buffer {
  return hash("sha256", data, "buffer");
}

export function sha256Hex(data: Bytes): string {
  return hash("sha256", data, "hex");
}

export function sha256Base64url(data: Bytes): string {
  return hash("sha256", data, "base64url");
}

export function hmacSha256(key: Uint8Array, data: Bytes): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
