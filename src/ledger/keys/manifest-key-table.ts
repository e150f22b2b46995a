/** The table of keys that sign manifests, outside the tree. */
import type Database from "better-sqlite3";
import type { ManifestKey } from "./manifest-keys.ts";

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
