import type Database from "better-sqlite3";
import type { Environment } from "../../contract/enums.ts";
import type { LedgerKeys, ManifestKeySpan } from "../../contract/ledger/ledger.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { parseTreeHead, signedTreeHead, type TreeHead } from "../../proof/tlog/note.ts";
import { type NoteVerifier, openNote, parseVkey } from "./note.ts";

/**
 * The signing keys of a log, one after the other. A key signs the tree sizes above its `fromSize` up to the next key's; the first
 * also signs the empty tree. Each key endorses the next, so the first key is enough to verify all.
 */

/** A key as the ledger stores it. */
export interface SigningKey {
  readonly keyId: string; // 8 hex digits
  readonly vkey: string;
  readonly fromSize: number;
  readonly createdAt: number; // ms
  readonly endorsement: string | null; // signed note by the key before; null on the first
}

export interface LedgerKey extends SigningKey {
  readonly untilSize: number | null; // null: in use
  readonly retiredAt: number | null; // ms
}

interface RingKey {
  readonly key: LedgerKey;
  readonly verifier: NoteVerifier;
}

/** A chain that has been verified: only `verifyKeyChain` makes one. */
export class KeyRing {
  readonly current: NoteVerifier;
  readonly #first: NoteVerifier;
  readonly #keys: readonly RingKey[];

  constructor(first: RingKey, later: readonly RingKey[]) {
    this.#keys = [first, ...later];
    this.#first = first.verifier;
    this.current = later.at(-1)?.verifier ?? first.verifier;
  }

  /** The oldest first. */
  all(): readonly LedgerKey[] {
    return this.#keys.map(({ key }) => key);
  }

  /** The one key that may sign a tree of that size. */
  at(size: number): NoteVerifier {
    return this.#keys.findLast(({ key }) => key.fromSize < size)?.verifier ?? this.#first;
  }
}

/** What the key before signs to hand the log over. */
export function endorsementText(
  origin: string,
  { vkey, fromSize }: { readonly vkey: string; readonly fromSize: number },
): string {
  return `${origin}/keys\n${vkey}\n${fromSize}\n`;
}

/**
 * The ring of these keys, the oldest first. It is as trustworthy as the first key, which the caller must know from elsewhere.
 * Throws FormatError naming the key that does not fit.
 */
export function verifyKeyChain(origin: string, keys: readonly SigningKey[]): KeyRing {
  const verified: RingKey[] = [];
  for (const [index, key] of keys.entries()) {
    try {
      const verifier = verifyKey(origin, key, verified.at(-1));
      if (verified.some((earlier) => earlier.verifier.vkey === key.vkey))
        throw new FormatError("it comes twice");
      const next = keys[index + 1];
      const end = { untilSize: next?.fromSize ?? null, retiredAt: next?.createdAt ?? null };
      verified.push({ key: { ...key, ...end }, verifier });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`signing key ${key.keyId}: ${error.message}`);
    }
  }
  const [first, ...later] = verified;
  if (first === undefined) throw new FormatError("the log has no signing key");
  return new KeyRing(first, later);
}

function verifyKey(origin: string, key: SigningKey, before: RingKey | undefined): NoteVerifier {
  const verifier = parseVkey(key.vkey);
  if (verifier.keyId !== key.keyId)
    throw new FormatError(`its verification key has the id ${verifier.keyId}`);
  if (verifier.name !== origin) throw new FormatError(`it signs for ${verifier.name}, not for ${origin}`);
  if (before === undefined) assertFirst(key);
  else assertEndorsed(origin, key, before);
  return verifier;
}

function assertFirst({ fromSize, endorsement }: SigningKey): void {
  if (fromSize !== 0) throw new FormatError("the first key begins with the empty tree");
  if (endorsement !== null) throw new FormatError("the first key has no key before that could endorse it");
}

function assertEndorsed(origin: string, key: SigningKey, before: RingKey): void {
  if (!Number.isSafeInteger(key.fromSize) || key.fromSize < before.key.fromSize)
    throw new FormatError("it begins before the key before it");
  if (key.createdAt < before.key.createdAt) throw new FormatError("it is older than the key before it");
  if (key.endorsement === null) throw new FormatError("the key before does not endorse it");
  if (openNote(key.endorsement, before.verifier) !== endorsementText(origin, key))
    throw new FormatError("the endorsement is for another key or another tree size");
}

/** A signed tree head by the key that may sign its size. Throws FormatError. */
export function openTreeHead(note: string, ring: KeyRing): TreeHead {
  const verifier = ring.at(parseTreeHead(note).size); // not believed yet: a wrong size asks for a wrong key
  return signedTreeHead(openNote(note, verifier), verifier.name);
}

/** The content of `keys.json`. */
export function keysDocument(
  origin: string,
  environment: Environment,
  ring: KeyRing,
  manifestKeys: readonly ManifestKey[] = [],
): LedgerKeys {
  return {
    schema: SCHEMA.ledgerKeys,
    origin,
    environment,
    keys: ring.all().map((key) => ({
      key_id: key.keyId,
      vkey: key.vkey,
      from_tree_size: key.fromSize,
      created_at: isoTime(key.createdAt),
      until_tree_size: key.untilSize,
      retired_at: key.retiredAt === null ? null : isoTime(key.retiredAt),
      endorsement: key.endorsement,
    })),
    ...(manifestKeys.length > 0 && { manifest_keys: manifestKeySpans(manifestKeys) }),
  };
}

/** The ring of a published `keys.json`. Throws FormatError when the chain is broken or the spans do not follow from it. */
export function publishedKeyRing(document: LedgerKeys): KeyRing {
  const ring = verifyKeyChain(
    document.origin,
    document.keys.map((key) => ({
      keyId: key.key_id,
      vkey: key.vkey,
      fromSize: key.from_tree_size,
      createdAt: Date.parse(key.created_at),
      endorsement: key.endorsement,
    })),
  );
  const implied = keysDocument(document.origin, document.environment, ring);
  for (const [index, { key_id, until_tree_size, retired_at }] of implied.keys.entries()) {
    const published = document.keys[index];
    if (published?.until_tree_size !== until_tree_size || published.retired_at !== retired_at)
      throw new FormatError(`signing key ${key_id}: its end is not the beginning of the next key`);
  }
  return ring;
}

/**
 * The keys that sign the manifests of releases, one after the other. The newest signs, and is endorsed by the key that signs tree
 * heads: whoever pins that key needs to know no other.
 */

/** A key as the ledger stores it. */
export interface ManifestKey {
  readonly keyId: string; // 8 hex digits
  readonly vkey: string;
  readonly createdAt: number; // ms
  readonly endorsement: string; // signed note by a key of the log
}

/** The name of the keys that sign manifests: no verifier of tree heads accepts one of them. */
export function manifestKeyName(origin: string): string {
  return `${origin}/manifest`;
}

/** What a key of the log signs to endorse a key of manifests. */
export function manifestEndorsementText(
  origin: string,
  { vkey, createdAt }: Pick<ManifestKey, "vkey" | "createdAt">,
): string {
  return `${origin}/manifest-keys\n${vkey}\n${isoTime(createdAt)}\n`;
}

/** The content of `manifest_keys` in `keys.json`, the oldest first. */
export function manifestKeySpans(keys: readonly ManifestKey[]): ManifestKeySpan[] {
  return keys.map(({ keyId, vkey, createdAt, endorsement }, at) => {
    const next = keys[at + 1];
    return {
      key_id: keyId,
      vkey,
      created_at: isoTime(createdAt),
      retired_at: next === undefined ? null : isoTime(next.createdAt),
      endorsement,
    };
  });
}

/**
 * The key that signs manifests now; undefined for a release of before such keys. `endorsers` are the keys of the log whose word
 * counts. Throws FormatError when none of them endorses it.
 */
export function manifestVerifier(
  origin: string,
  published: readonly ManifestKeySpan[],
  endorsers: readonly NoteVerifier[],
): NoteVerifier | undefined {
  const newest = published.at(-1);
  if (newest === undefined) return undefined;
  const verifier = parseVkey(newest.vkey);
  if (verifier.name !== manifestKeyName(origin) || verifier.keyId !== newest.key_id)
    throw new FormatError(`manifest key ${newest.key_id}: it signs for ${verifier.name}`);
  const text = manifestEndorsementText(origin, {
    vkey: newest.vkey,
    createdAt: Date.parse(newest.created_at),
  });
  if (!endorsers.some((endorser) => opens(newest.endorsement, endorser, text)))
    throw new FormatError(`manifest key ${newest.key_id}: no key of the log that may do so endorses it`);
  return verifier;
}

function opens(note: string, verifier: NoteVerifier, text: string): boolean {
  try {
    return openNote(note, verifier) === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** The table of signing keys. It only grows. Keys are returned after the chain up to the ledger's first key was verified. */

const COLUMNS = "key_id AS keyId, vkey, from_size AS fromSize, created_at AS createdAt, endorsement";

/** Throws OperatorError naming the key that does not follow from the one before. */
export function loadKeyRing(database: Database.Database): KeyRing {
  const meta = database.prepare<[], { origin: string; vkey: string }>("SELECT origin, vkey FROM meta").get();
  // In the order of insertion: two keys may begin with the same size in the same millisecond.
  const keys = database.prepare<[], SigningKey>(`SELECT ${COLUMNS} FROM signing_keys ORDER BY rowid`).all();
  try {
    if (meta?.vkey !== keys[0]?.vkey)
      throw new FormatError(`signing key ${keys[0]?.keyId}: not the key that the ledger began with`);
    return verifyKeyChain(meta?.origin ?? "", keys);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new OperatorError(
      `${database.name}: ${cause.message}: the ledger was changed; restore it from your backup`,
      { cause },
    );
  }
}

/** For a ledger whose table of keys is empty: the key that it began with. */
export function insertFirstKey(database: Database.Database, { keyId }: NoteVerifier): void {
  database.prepare("INSERT INTO signing_keys SELECT ?, vkey, 0, created_at, NULL FROM meta").run(keyId);
}

export function insertSigningKey(database: Database.Database, key: SigningKey): void {
  const { keyId, vkey, fromSize, createdAt, endorsement } = key;
  database
    .prepare(
      "INSERT INTO signing_keys (key_id, vkey, from_size, created_at, endorsement) VALUES (?, ?, ?, ?, ?)",
    )
    .run(keyId, vkey, fromSize, createdAt, endorsement);
}

/** The table of keys that sign manifests, outside the tree. */

/** The oldest first. */
export function loadManifestKeys(database: Database.Database): ManifestKey[] {
  return database
    .prepare<[], ManifestKey>(
      "SELECT key_id AS keyId, vkey, created_at AS createdAt, endorsement FROM manifest_keys ORDER BY rowid",
    )
    .all();
}

/** Adds a key, or gives a known one a new endorsement. */
export function putManifestKey(database: Database.Database, key: ManifestKey): void {
  const { keyId, vkey, createdAt, endorsement } = key;
  database
    .prepare(
      `INSERT INTO manifest_keys (key_id, vkey, created_at, endorsement) VALUES (?, ?, ?, ?)
       ON CONFLICT (key_id) DO UPDATE SET endorsement = excluded.endorsement`,
    )
    .run(keyId, vkey, createdAt, endorsement);
}
