import type Database from "better-sqlite3";
import { BODY_NAME, claimDigest, digestTexts } from "./rows/digests.ts";
import { privateClaims } from "./rows/row-fields.ts";
import { changedRow } from "./rows/stored-rows.ts";
import type { Checkpoints } from "./tree/checkpoints.ts";
import { provedRows } from "./verified-rows.ts";

/** A share of the rows to check. */
export interface Share {
  readonly after: number; // the size of a checkpoint; any other number stands for zero
  readonly rows: number; // at least as many, then up to the next checkpoint
  /** Whether it has taken long enough: then it ends at the next checkpoint. */
  readonly isLate: () => boolean;
  readonly progress?: (row: number, total: number) => void;
}

type PrivateRow = [row: number, digests: Buffer, salts: Buffer, json: string];

const PROGRESS_ROWS = 1000;

/**
 * Checks the rows after a checkpoint, private values too, and returns the size of the checkpoint up to which they are proved. Throws
 * OperatorError naming the first row that was changed, or the rows between two checkpoints when only the root tells.
 */
export function checkRows(database: Database.Database, checkpoints: Checkpoints, share: Share): number {
  // One read transaction: a redaction that commits during the read must not look like an omission.
  return database.transaction(() => {
    const sizes = checkpoints.list().map(({ size }) => size);
    const after = sizes.includes(share.after) ? share.after : 0;
    const proved = provedSize(database, checkpoints, { ...share, after }, sizes);
    assertPrivateValues(database, after, proved);
    return proved;
  })();
}

function provedSize(
  database: Database.Database,
  checkpoints: Checkpoints,
  { after, rows, isLate, progress }: Share,
  sizes: readonly number[],
): number {
  const upTo = sizes.at(-1) ?? 0;
  if (after === upTo) return upTo;
  const ends = new Set(sizes);
  for (const { id } of provedRows(database, checkpoints, { after, upTo, redactedUpTo: Infinity })) {
    if (id % PROGRESS_ROWS === 0) progress?.(id, upTo);
    const proved = id - 1; // the root of its checkpoint is compared when the next row is asked for
    if (proved > after && ends.has(proved) && (proved - after >= rows || isLate())) return proved;
  }
  return upTo;
}

function assertPrivateValues(database: Database.Database, after: number, upTo: number): void {
  const statement = database
    .prepare<[number, number], PrivateRow>(
      `SELECT r.id, r.digests, o.salts, o.private FROM rows r JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? AND o.private IS NOT NULL`,
    )
    .raw();
  for (const row of statement.iterate(after, upTo)) assertPrivate(row);
}

function assertPrivate([row, digests, salts, json]: PrivateRow): void {
  const texts = digestTexts(digests);
  const claims = privateClaims(row, json);
  for (const [index, claim] of claims.entries())
    if (claim.name === BODY_NAME || !texts.includes(claimDigest(salts, index + 1, claim)))
      throw changedRow(row, `its ${claim.name} does not fit its digests`);
}
