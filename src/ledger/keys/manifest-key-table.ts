/** The table of keys that sign manifests. A ledger that no writer of this version has opened lacks it. */
import type Database from "better-sqlite3";
import type { ManifestKey } from "./manifest-keys.ts";

/** Outside the tree, and made on opening for writing, so that it needs no format of its own. */
const TABLE_SQL = `
CREATE TABLE IF NOT EXISTS manifest_keys (
  key_id TEXT PRIMARY KEY,
  vkey TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  endorsement TEXT NOT NULL
) STRICT;
`;

export function createManifestKeyTable(database: Database.Database): void {
  database.exec(TABLE_SQL);
}

/** The oldest first. */
export function loadManifestKeys(database: Database.Database): ManifestKey[] {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'manifest_keys'").get();
  if (exists === undefined) return [];
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
