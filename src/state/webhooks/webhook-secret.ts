import { hkdfSync } from "node:crypto";

const SECRET_BYTES = 32;

/**
 * The signing secret of a webhook (Standard Webhooks form: `whsec_` and base64). It is derived from the master key, the webhook's public id and its
 * rotation, so the store needs no more than a hash of it and deliveries can still be signed.
 */
export function webhookSecret(master: Uint8Array, publicId: string, rotation: number): string {
  const bytes = hkdfSync("sha256", master, publicId, `webhook-signing/v${rotation}`, SECRET_BYTES);
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}
