/** The private values of live records and assets by which an opt-out knows them again, and knows what others share. */
import type Database from "better-sqlite3";
import { z } from "zod";

/** How to reach a record, as a line about it said; private. */
export interface RecordContacts {
  readonly id: number;
  readonly website: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

/** The reference that an asset's source gave it. */
export interface AssetRef {
  readonly id: number;
  readonly record: number;
  readonly ref: string;
}

const Contacts = z.object({
  id: z.int(),
  website: z.string().nullable(),
  phone: z.string().nullable(),
  address: z.string().nullable(),
});
const Ref = z.object({ id: z.int(), record: z.int(), ref: z.string() });

/** Of all records, each combination once. Reads the ledger through. */
export function* recordContacts(database: Database.Database): Generator<RecordContacts> {
  const stored = database.prepare<[]>(
    `SELECT DISTINCT body ->> '$.record' AS id, private ->> '$.seen.website' AS website,
       private ->> '$.seen.phone' AS phone, private ->> '$.seen.address' AS address
     FROM rows JOIN openings ON row = id
     WHERE kind = 'observation' AND coalesce(private ->> '$.seen.website', private ->> '$.seen.phone',
       private ->> '$.seen.address') IS NOT NULL
     ORDER BY 1, 2, 3, 4`,
  );
  for (const row of stored.all()) yield Contacts.parse(row);
}

/** Of all assets that have one. Reads the ledger through. */
export function* assetRefs(database: Database.Database): Generator<AssetRef> {
  const stored = database.prepare<[]>(
    `SELECT id, body ->> '$.record' AS record, private ->> '$.asset_ref' AS ref
     FROM rows JOIN openings ON row = id
     WHERE kind = 'asset' AND private ->> '$.asset_ref' IS NOT NULL ORDER BY id`,
  );
  for (const row of stored.all()) yield Ref.parse(row);
}
