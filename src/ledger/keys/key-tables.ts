import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { type KeyRing, type ManifestKey, type SigningKey, verifyKeyChain } from "./key-ring.ts";
import type { NoteVerifier } from "./note.ts";

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
