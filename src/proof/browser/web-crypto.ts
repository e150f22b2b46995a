import { concat } from "../tlog/bytes.ts";
import type { NoteKey, NoteSignature } from "../tlog/note.ts";
import type { NodeHash } from "../tlog/proof.ts";
import { Stop } from "./outcome.ts";

/** WebCrypto's part that browsers and Node share. */
export type Subtle = typeof crypto.subtle;

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);
// Any valid point will do to ask: the public key of RFC 8032, 7.1, test 1.
const SOME_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

export async function sha256(subtle: Subtle, bytes: Uint8Array<ArrayBuffer>) {
  return new Uint8Array(await subtle.digest("SHA-256", bytes));
}

/** RFC 6962, 2.1. */
export function leafHash(subtle: Subtle, entry: Uint8Array) {
  return sha256(subtle, concat(LEAF_PREFIX, entry));
}

export function nodeHash(subtle: Subtle): NodeHash {
  return (left, right) => sha256(subtle, concat(NODE_PREFIX, left, right));
}

/** The browser's WebCrypto, once it is known to be there and to know Ed25519. Throws Stop, `could not check`. */
export async function usableCrypto(subtle: Subtle | undefined): Promise<Subtle> {
  if (subtle === undefined)
    throw new Stop(
      "could not check",
      "Browsers allow cryptography only on pages served over https or from localhost. Open this page over https.",
    );
  try {
    await importKey(
      subtle,
      Uint8Array.from(SOME_KEY.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)),
    );
  } catch {
    throw new Stop(
      "could not check",
      "This browser does not support Ed25519 signatures. Use Firefox 129, Safari 17, Chrome 137 or later.",
    );
  }
  return subtle;
}

export async function isRightSignature(
  subtle: Subtle,
  { key }: NoteKey,
  { signature }: NoteSignature,
  text: string,
): Promise<boolean> {
  const imported = await importKey(subtle, key);
  return subtle.verify("Ed25519", imported, signature, new TextEncoder().encode(text));
}

/** Throws a DOMException for bytes that are no Ed25519 public key. */
function importKey(subtle: Subtle, key: Uint8Array<ArrayBuffer>) {
  return subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
}
