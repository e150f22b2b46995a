/** Signed notes with Ed25519 keys, as C2SP signed-note v1.0.0 and Go's sumdb write them. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { sha256 } from "../../kernel/hash.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import {
  assertEd25519,
  ED25519_TYPE,
  isKeyName,
  isNoteText,
  keyIdInput,
  keyIdOf,
  parseNote,
  parseNoteKey,
  signaturesBy,
  signedText,
} from "../../proof/tlog/note.ts";

export interface NoteVerifier {
  readonly name: string;
  readonly keyId: string; // 8 hex digits
  readonly vkey: string; // `<name>+<key id>+<base64 of type and public key>`
  readonly publicKey: KeyObject;
}

/**
 * All that the service asks of a private key. A key file fills it, and so can a second process or a key management service; it
 * answers at once, because rows and their signed tree are committed together.
 */
export interface NoteSigner {
  readonly name: string;
  readonly keyId: string; // 8 hex digits
  readonly vkey: string;
  /** The whole signed note over `text`. Throws FormatError for a text that a note cannot have. */
  sign(text: string): string;
}

/** A signer whose private key lies in a file. */
export interface StoredSigner extends NoteVerifier, NoteSigner {
  readonly skey: string; // `PRIVATE+KEY+<name>+<key id>+<base64 of type and seed>`, Go's form of a private key
}

const ED25519 = Buffer.of(ED25519_TYPE);
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
// The fixed DER headers of an Ed25519 key (RFC 8410): 32 raw bytes follow.
const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_HEADER = Buffer.from("302a300506032b6570032100", "hex");

export function signerFromSeed(name: string, seed: Buffer): StoredSigner {
  if (!isKeyName(name)) throw new FormatError(`not a key name: ${JSON.stringify(name)}`);
  if (seed.length !== KEY_BYTES) throw new FormatError("an Ed25519 seed has 32 bytes");
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: "der", type: "pkcs8" });
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_HEADER.length);
  const verifier = verifierFromRaw(name, raw);
  return {
    ...verifier,
    skey: `PRIVATE+KEY+${name}+${verifier.keyId}+${Buffer.concat([ED25519, seed]).toString("base64")}`,
    sign: (text) => {
      if (!isNoteText(text))
        throw new FormatError("a note is text without control characters that ends with a line feed");
      const signature = Buffer.concat([
        Buffer.from(verifier.keyId, "hex"),
        sign(null, Buffer.from(text), key),
      ]);
      return `${text}\n— ${name} ${signature.toString("base64")}\n`;
    },
  };
}

export function parseSkey(skey: string): StoredSigner {
  const match = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(skey);
  const [, name, keyId, encoded] = match ?? [];
  const signer = signerFromSeed(name ?? "", typedKey(encoded ?? ""));
  if (signer.keyId !== keyId) throw new FormatError("the key id does not belong to the private key");
  return signer;
}

export function parseVkey(vkey: string): NoteVerifier {
  const key = parseNoteKey(vkey);
  assertEd25519(key, sha256(keyIdInput(key)));
  return verifierFromRaw(key.name, Buffer.from(key.key));
}

/** The text of a note that `verifier` has signed; signatures of unknown keys are ignored, as the format demands. */
export function openNote(note: string, verifier: NoteVerifier): string {
  const parsed = parseNote(note);
  const text = Buffer.from(parsed.text);
  const areRight = signaturesBy(parsed, verifier).map(
    ({ signature }) =>
      signature.length === SIGNATURE_BYTES && verify(null, text, verifier.publicKey, signature),
  );
  return signedText(parsed, verifier, areRight);
}

function verifierFromRaw(name: string, raw: Buffer): NoteVerifier {
  const typed = Buffer.concat([ED25519, raw]);
  const keyId = keyIdOf(sha256(keyIdInput({ name, type: ED25519_TYPE, key: raw })));
  return {
    name,
    keyId,
    vkey: `${name}+${keyId}+${typed.toString("base64")}`,
    publicKey: createPublicKey({ key: Buffer.concat([SPKI_HEADER, raw]), format: "der", type: "spki" }),
  };
}

function typedKey(encoded: string): Buffer {
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length !== 1 + KEY_BYTES || bytes[0] !== ED25519[0]) throw new FormatError("not an Ed25519 key");
  return bytes.subarray(1);
}
