/** Private values by which records and assets are known: telephones for online checks, references for opt-outs. */
import type Database from "better-sqlite3";
import { z } from "zod";

/** The reference that an asset's source gave it. */
export interface AssetRef {
  readonly id: number;
  readonly record: number;
  readonly ref: string;
}

const Ref = z.object({ id: z.int(), record: z.int(), ref: z.string() });

type Claim = { readonly record: number; readonly key: string; readonly phone: string };

/** The telephone of each record that was taught one: the first that counting rows of two principals agree about. */
export function taughtPhones(database: Database.Database): Map<number, string> {
  const claims = database
    .prepare<[], Claim>(
      `SELECT record, hex(key) AS key, private ->> '$.seen.phone' AS phone
       FROM record_contacts JOIN openings ON openings.row = record_contacts.row
       WHERE private ->> '$.seen.phone' IS NOT NULL ORDER BY record, record_contacts.row`,
    )
    .all();
  const phones = new Map<number, string>();
  // Two rows that claim one contact, be it their website, and have one telephone claim that, too.
  for (const { record, phone } of agreed(claims)) if (!phones.has(record)) phones.set(record, phone);
  return phones;
}

function agreed(claims: readonly Claim[]): Claim[] {
  const first = new Map<string, Claim>();
  return claims.filter((claim) => {
    const key = `${claim.record} ${claim.key} ${lastDigits(claim.phone)}`;
    const isSecond = first.has(key);
    first.set(key, claim);
    return isSecond;
  });
}

const COMPARED_DIGITS = 10; // of numbers with and without their country code

function lastDigits(phone: string): string {
  return phone.replace(/\D/g, "").slice(-COMPARED_DIGITS);
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
