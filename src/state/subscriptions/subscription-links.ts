import { timingSafeEqual } from "node:crypto";
import { hmacSha256 } from "../../kernel/hash.ts";
import type { StateKeys } from "../state-key.ts";

/** The purpose of an emailed link: the manage page, one-click unsubscribe (RFC 8058), or no more email at all. */
export type LinkPurpose = "manage" | "unsubscribe" | "never";

/**
 * `<public id>.<MAC>`: made again for every mail and stored nowhere. It is good as long as the subscription, since a link to
 * unsubscribe has to work in old mails, too; after a rotation of the key, until the next one. For the purpose `never` the mailbox's
 * keyed hash takes the place of the id.
 */
export function linkToken(keys: StateKeys, purpose: LinkPurpose, publicId: string): string {
  return tokenBy(keys.purposeKey(purpose), publicId);
}

function tokenBy(key: Buffer, publicId: string): string {
  return `${publicId}.${hmacSha256(key, publicId).toString("base64url")}`;
}

/** The subscription's public id, or undefined for a token that was not made here for this purpose. */
export function readLinkToken(keys: StateKeys, purpose: LinkPurpose, token: string): string | undefined {
  const publicId = token.slice(0, Math.max(0, token.indexOf(".")));
  const previous = keys.previousKey(purpose);
  const right = [keys.purposeKey(purpose), ...(previous === undefined ? [] : [previous])];
  return right.some((key) => isSame(token, tokenBy(key, publicId))) ? publicId : undefined;
}

function isSame(token: string, expected: string): boolean {
  const [given, right] = [Buffer.from(token), Buffer.from(expected)];
  return given.length === right.length && timingSafeEqual(given, right);
}
