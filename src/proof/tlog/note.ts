/** The text of signed notes and their keys (C2SP signed-note v1.0.0); hashing and signatures are the caller's. */
import { FormatError, fromBase64, toBase64, toHex } from "./bytes.ts";
import { HASH_BYTES } from "./proof.ts";

export interface NoteSignature {
  readonly name: string;
  readonly keyId: string; // 8 hex digits
  readonly signature: Uint8Array<ArrayBuffer>;
}

export interface Note {
  readonly text: string; // what is signed: ends with a line feed
  readonly signatures: readonly NoteSignature[];
}

export interface NoteKey {
  readonly name: string;
  readonly keyId: string; // 8 hex digits: SHA-256(name, line feed, type, key), its first four bytes
  readonly type: number;
  readonly key: Uint8Array<ArrayBuffer>;
}

export const ED25519_TYPE = 1;
const KEY_ID_BYTES = 4;
const ED25519_BYTES = 32;

/** Key names hold no space and no plus sign, because both separate fields. */
export function isKeyName(name: string): boolean {
  return /^[^\s+]+$/u.test(name) && !hasControlCharacter(name);
}

export function isNoteText(text: string): boolean {
  return text.endsWith("\n") && text.isWellFormed() && !hasControlCharacter(text.replaceAll("\n", ""));
}

/** Text and signatures of a note, none of them checked. Throws FormatError. */
export function parseNote(note: string): Note {
  const split = note.lastIndexOf("\n\n");
  const text = note.slice(0, split + 1);
  if (split < 0 || !note.endsWith("\n") || !isNoteText(text)) throw new FormatError("not a signed note");
  return {
    text,
    signatures: note
      .slice(split + 2, -1)
      .split("\n")
      .map(parseSignature),
  };
}

function parseSignature(line: string): NoteSignature {
  const [, name, encoded] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
  const bytes = fromBase64(encoded ?? "");
  if (name === undefined || bytes === undefined || bytes.length <= KEY_ID_BYTES)
    throw new FormatError("malformed signature line");
  return {
    name,
    keyId: toHex(bytes.subarray(0, KEY_ID_BYTES)),
    signature: bytes.slice(KEY_ID_BYTES),
  };
}

/** Name, key id and key of a verification key; the caller checks that the id belongs to the rest. Throws FormatError. */
export function parseNoteKey(vkey: string): NoteKey {
  const [, name, keyId, encoded] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(vkey) ?? [];
  const bytes = fromBase64(encoded ?? "");
  const type = bytes?.[0];
  if (
    name === undefined ||
    !isKeyName(name) ||
    keyId === undefined ||
    bytes === undefined ||
    type === undefined
  )
    throw new FormatError("not a note verification key");
  return { name, keyId, type, key: bytes.slice(1) };
}

/** Throws FormatError unless it is an Ed25519 key with the id that it should have; `hash` is the SHA-256 of `keyIdInput`. */
export function assertEd25519(key: NoteKey, hash: Uint8Array): void {
  if (keyIdOf(hash) !== key.keyId) throw new FormatError("the key id does not belong to the public key");
  if (key.type !== ED25519_TYPE || key.key.length !== ED25519_BYTES)
    throw new FormatError("the key is not an Ed25519 key");
}

export function keyIdOf(hash: Uint8Array): string {
  return toHex(hash.subarray(0, KEY_ID_BYTES));
}

/** What the key id is a hash of. */
export function keyIdInput({
  name,
  type,
  key,
}: {
  name: string;
  type: number;
  key: Uint8Array;
}): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([...new TextEncoder().encode(`${name}\n`), type, ...key]);
}

/** Signatures that claim to be by this key; signatures of unknown keys are ignored. */
export function signaturesBy(
  { signatures }: Note,
  { name, keyId }: Pick<NoteKey, "name" | "keyId">,
): NoteSignature[] {
  return signatures.filter((signature) => signature.name === name && signature.keyId === keyId);
}

/**
 * The text of a note that this key has signed. `areRight` says of each of `signaturesBy` whether it is right: one that is wrong
 * makes the note worthless. Throws FormatError.
 */
export function signedText(
  { text }: Note,
  { name, keyId }: Pick<NoteKey, "name" | "keyId">,
  areRight: readonly boolean[],
): string {
  if (areRight.length === 0) throw new FormatError(`not signed by ${name}+${keyId}`);
  if (!areRight.every(Boolean)) throw new FormatError(`wrong signature by ${name}+${keyId}`);
  return text;
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text).some((character) => character < " ");
}

/** The signed text of a tree head (C2SP tlog-checkpoint v1.0.0): origin, size, root, one a line. */
export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

export function formatTreeHead({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Extension lines may follow the three and are not read. Throws FormatError. */
export function parseTreeHead(text: string): TreeHead {
  const [origin = "", digits = "", encoded = ""] = text.split("\n");
  const size = Number(digits);
  const root = fromBase64(encoded);
  const wellFormed = origin !== "" && /^(0|[1-9][0-9]*)$/.test(digits) && Number.isSafeInteger(size);
  if (!wellFormed || root?.length !== HASH_BYTES)
    throw new FormatError("not a checkpoint: expected origin, size and root, one a line");
  return { origin, size, root };
}

/** The tree head in a text that the key of this name has signed. Throws FormatError. */
export function signedTreeHead(text: string, name: string): TreeHead {
  const head = parseTreeHead(text);
  if (head.origin !== name) throw new FormatError(`signed for ${head.origin}, not for ${name}`);
  return head;
}
