import type Database from "better-sqlite3";
import { z } from "zod";
import type { LedgerDisclosure } from "../contract/ledger/ledger.ts";
import { SCHEMA } from "../contract/versions.ts";
import { OperatorError } from "../kernel/errors.ts";
import { nodeHash } from "../kernel/hash.ts";
import { formatTlogProof, rootOfInclusion } from "../proof/tlog/proof.ts";
import type { LedgerMeta } from "./database/ledger-file.ts";
import {
  BODY_NAME,
  type Claim,
  claimDigest,
  claimDisclosure,
  digestTexts,
  disclosureDigest,
  leafText,
} from "./rows/digests.ts";
import { redactedRows, redactions } from "./rows/redactions.ts";
import { changedRow, type StoredRow, storedRows } from "./rows/stored-rows.ts";
import type { Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { inclusionPath } from "./tree/merkle.ts";

export interface DisclosureRequest {
  readonly row: number;
  readonly field: string; // `body`, or the name of a private value
  readonly size?: number | undefined; // of a signed tree; the newest when not given
}

interface Ledger {
  readonly database: Database.Database;
  readonly meta: LedgerMeta;
  readonly checkpoints: Checkpoints;
}

/**
 * One value of one row with everything an auditor needs. Each part is verified first: the value's digest is in the leaf, the leaf
 * is in the tree, the tree's head is signed. Throws OperatorError for an unknown row, field or size, and for a changed ledger.
 */
export async function discloseField(
  { database, meta, checkpoints }: Ledger,
  { row, field, size }: DisclosureRequest,
): Promise<LedgerDisclosure> {
  const { leaf, leafHash, disclosures } = rowFields(database, row);
  const disclosure = disclosures.get(field);
  if (disclosure === undefined)
    throw new OperatorError(
      `row ${row}: it has no field ${JSON.stringify(field)}, only: ${[...disclosures.keys()].join(", ")}`,
    );
  const checkpoint = size === undefined ? newestTree(checkpoints, row) : signedTree(checkpoints, row, size);
  const path = inclusionPath(database, row, checkpoint.size);
  const claim = { index: row - 1, size: checkpoint.size, leafHash, path };
  if (!checkpoint.root.equals(await rootOfInclusion(claim, nodeHash)))
    throw changedRow(row, `it does not lead to the signed root of ${checkpoint.size} rows`);
  const proof = formatTlogProof({ index: row - 1, path, checkpoint: checkpoint.note });
  const { origin, environment } = meta;
  return { schema: SCHEMA.ledgerDisclosure, origin, environment, row, field, disclosure, leaf, proof };
}

function newestTree(checkpoints: Checkpoints, row: number): Checkpoint {
  const newest = checkpoints.latest();
  if (newest !== undefined && row <= newest.size) return newest;
  throw new OperatorError(
    `row ${row}: not yet in a signed tree, the newest has ${newest?.size ?? 0} rows: run \`presence seal --now\` first`,
  );
}

function signedTree(checkpoints: Checkpoints, row: number, size: number): Checkpoint {
  const checkpoint = checkpoints.at(size);
  if (checkpoint === undefined)
    throw new OperatorError(
      `--size ${size}: no signed tree has that size; the newest has ${checkpoints.latest()?.size ?? 0}`,
    );
  if (row > size)
    throw new OperatorError(`row ${row}: not in the tree of ${size} rows: give a larger --size`);
  return checkpoint;
}

/** A live row opened whole: private values too, so it stays with the operator. */
export interface RowFields {
  readonly row: number;
  readonly kind: string;
  readonly leaf: string;
  readonly leafHash: Buffer;
  /** Field name -> its SD-JWT disclosure, whose digest is in the leaf; the body is the first. */
  readonly disclosures: ReadonlyMap<string, string>;
}

/** Throws OperatorError for a row that is not there, that is redacted, or whose values do not fit its digests. */
export function rowFields(database: Database.Database, row: number): RowFields {
  // One read transaction: a redaction that commits during the read must not look like an omission.
  return database.transaction(() => openRow(database, row))();
}

function openRow(database: Database.Database, row: number): RowFields {
  const [id, kind, , digests, leafHash, salts, body] = storedRow(database, row);
  const redactedBy = redactedRows(redactions(database)).get(id)?.id;
  if (salts === null || body === null) throw unopened(id, redactedBy);
  if (redactedBy !== undefined)
    throw new OperatorError(
      `row ${id}: redacted by row ${redactedBy}, but its values are still there: redact it again`,
    );
  const texts = digestTexts(digests);
  const claims = [{ name: BODY_NAME, json: body }, ...privateClaims(id, privateJson(database, id))];
  return {
    row: id,
    kind,
    leaf: leafText(id, kind, texts),
    leafHash,
    disclosures: new Map(
      claims.map((claim, index) => [
        claim.name,
        provedDisclosure(id, texts, claim.name, claimDisclosure(salts, index, claim)),
      ]),
    ),
  };
}

function storedRow(database: Database.Database, row: number): StoredRow {
  const last = database.prepare<[], number>("SELECT coalesce(max(id), 0) FROM rows").pluck().get() ?? 0;
  if (row < 1 || row > last) throw new OperatorError(`row ${row}: the ledger has only the rows 1 to ${last}`);
  const [stored] = storedRows(database, row - 1, row);
  if (stored === undefined) throw changedRow(row, "it is missing");
  return stored;
}

function unopened(row: number, redactedBy: number | undefined): OperatorError {
  if (redactedBy === undefined)
    return changedRow(row, "silent omission, its values are gone and no redaction names it");
  return new OperatorError(
    `row ${row}: redacted by row ${redactedBy}: its values and salts are deleted, and nothing is left to disclose`,
  );
}

function privateJson(database: Database.Database, row: number): string | null | undefined {
  return database
    .prepare<[number], string | null>("SELECT private FROM openings WHERE row = ?")
    .pluck()
    .get(row);
}

/** Throws OperatorError naming the row whose private values are no JSON. */
export function privateClaims(row: number, json: string | null | undefined): Claim[] {
  try {
    const values: [string, unknown][] = Object.entries(JSON.parse(json ?? "{}"));
    return values.map(([name, value]) => ({ name, json: JSON.stringify(value) }));
  } catch {
    throw changedRow(row, "its private values are not JSON");
  }
}

function provedDisclosure(row: number, digests: readonly string[], name: string, disclosure: string): string {
  if (digests.includes(disclosureDigest(disclosure))) return disclosure;
  throw changedRow(row, `its ${name} does not fit its digests`);
}

/** Private values by which records and assets are known: telephones for online checks, references for opt-outs. */

/** The reference that an asset's source gave it. */
export interface AssetRef {
  readonly id: number;
  readonly record: number;
  readonly ref: string;
}

const Ref = z.object({ id: z.int(), record: z.int(), ref: z.string() });

type PhoneClaim = { readonly record: number; readonly key: string; readonly phone: string };

/** The telephone of each record that was taught one: the first that counting rows of two principals agree about. */
export function taughtPhones(database: Database.Database): Map<number, string> {
  const claims = database
    .prepare<[], PhoneClaim>(
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

function agreed(claims: readonly PhoneClaim[]): PhoneClaim[] {
  const first = new Map<string, PhoneClaim>();
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

type ScoutRow = [id: number, digests: Buffer, salts: Buffer, values: string];

const CHUNK = 5000;
const OBSERVER = "observer";
const Observer = z.object({ principal: z.string() });

/**
 * Row and principal of each live observation by a scout after `after` up to `upTo`, each proved by its digest. Private: for counting a
 * city's scouts only. Throws OperatorError naming a row whose private value was changed.
 */
export function* provedScouts(
  database: Database.Database,
  { after = 0, upTo }: { readonly after?: number; readonly upTo: number },
): Generator<readonly [row: number, principal: string]> {
  const chunk = database
    .prepare<[number, number, number], ScoutRow>(
      `SELECT r.id, r.digests, o.salts, o.private
       FROM rows r JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? AND r.kind = 'observation' AND o.private IS NOT NULL
         AND o.body ->> '$.source_type' = 'scout'
       ORDER BY r.id LIMIT ?`,
    )
    .raw();
  for (let from = after; ; ) {
    const rows = chunk.all(from, upTo, CHUNK);
    for (const row of rows) yield [row[0], provedPrincipal(row)];
    const last = rows.at(-1);
    if (last === undefined) return;
    from = last[0];
  }
}

/**
 * The same of rows that an earlier build proved, which takes a third of the time: `checkRows` proves their private values again, a share
 * each night. A row of another kind may be among them.
 */
export function* trustedScouts(
  database: Database.Database,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Generator<readonly [row: number, principal: string]> {
  const trusted = database
    .prepare<[number, number], [row: number, principal: unknown]>(
      `SELECT row, private ->> '$.${OBSERVER}.principal' FROM openings
       WHERE row > ? AND row <= ? AND private IS NOT NULL AND body ->> '$.source_type' = 'scout' ORDER BY row`,
    )
    .raw();
  for (const [row, principal] of trusted.all(after, upTo))
    if (typeof principal === "string") yield [row, principal];
}

function provedPrincipal([id, digests, salts, values]: ScoutRow): string {
  const claims: [string, unknown][] = Object.entries(JSON.parse(values));
  const index = claims.findIndex(([name]) => name === OBSERVER);
  const observer = claims[index]?.[1];
  // The body's salt is the first, the private values' follow in their order.
  const digest = claimDigest(salts, index + 1, { name: OBSERVER, json: JSON.stringify(observer) });
  const known = Observer.safeParse(observer);
  if (!known.success || !digestTexts(digests).includes(digest))
    throw changedRow(id, "its private observer does not fit its digests");
  return known.data.principal;
}
