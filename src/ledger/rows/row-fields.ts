import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import {
  BODY_NAME,
  type Claim,
  claimDisclosure,
  digestTexts,
  disclosureDigest,
  leafText,
} from "./digests.ts";
import { redactedRows, redactions } from "./redactions.ts";
import { changedRow, type StoredRow, storedRows } from "./stored-rows.ts";

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
  if (row < 1 || row > last)
    throw new OperatorError(`row ${row}: there is no such row: the ledger has the rows 1 to ${last}`);
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
