import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type Database from "better-sqlite3";
import type { RedactionReason } from "../contract/enums.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { SALT_BYTES } from "./rows/digests.ts";
import { redactedRows, redactions } from "./rows/redactions.ts";
import type { NewRow, RowKind } from "./rows/rows.ts";

/** What to delete from the ledger permanently. The tree keeps its leaves, which hold salted digests only. */
export interface Erasure {
  readonly reason: RedactionReason; // stays private
  /** Rows that lose their salts, body and private values. */
  readonly rows: readonly number[];
  /** Rows that keep their body and lose the salts and values of their private disclosures. */
  readonly stripped?: readonly number[];
  /** Rows that take the place of erased ones. */
  readonly replacements?: readonly NewRow[];
  /** Deletes, in the same transaction, what was derived from the rows. */
  readonly alongside?: () => void;
}

/** A body of this many row ids is about 80 kB: a disclosure that any reader can take. */
export const ROWS_PER_REDACTION = 10_000;

const ERASABLE: ReadonlySet<RowKind> = new Set([
  "observation",
  "record",
  "naming",
  "asset",
  "review",
  "identity",
  "status",
  "recount",
  "reassign",
  "look",
]);

/**
 * Deletes the values and appends the rows that name what was erased, within a transaction of the writer. Rows that are already
 * erased are skipped. Returns the ids of the naming rows. Throws OperatorError for a row that does not exist, is of another kind,
 * or lost its values in another way: naming it now would hide an omission.
 */
export function eraseRows(
  database: Database.Database,
  { reason, rows, stripped = [], replacements = [], alongside }: Erasure,
  append: (row: NewRow) => number,
): number[] {
  const pending = liveRows(database, rows);
  if (pending.length === 0) return [];
  const erase = database.prepare<[number]>("DELETE FROM openings WHERE row = ?");
  for (const row of pending) erase.run(row);
  stripRows(database, stripped);
  const named: number[] = [];
  for (let at = 0; at < pending.length; at += ROWS_PER_REDACTION)
    named.push(
      append({
        kind: "redaction",
        body: { rows: pending.slice(at, at + ROWS_PER_REDACTION) },
        private: { reason },
      }),
    );
  for (const row of replacements) append(row);
  alongside?.();
  return named;
}

/** Deletes the salts and values of the rows' private disclosures, within a transaction. The bodies and their salts, the first, stay. */
export function stripRows(database: Database.Database, rows: readonly number[]): void {
  const strip = database.prepare<[number]>(
    `UPDATE openings SET salts = substr(salts, 1, ${SALT_BYTES}), private = NULL WHERE row = ? AND private IS NOT NULL`,
  );
  for (const row of rows) strip.run(row);
}

type KindAndLife = [kind: RowKind, isLive: number];

/** The rows that still have values, in order. */
function liveRows(database: Database.Database, rows: readonly number[]): number[] {
  const find = database
    .prepare<[number], KindAndLife>(
      "SELECT kind, openings.row IS NOT NULL FROM rows LEFT JOIN openings ON openings.row = rows.id WHERE rows.id = ?",
    )
    .raw();
  const erased = redactedRows(redactions(database));
  return [...new Set(rows)]
    .sort((a, b) => a - b)
    .filter((row) => {
      const [kind, isLive] = find.get(row) ?? [];
      if (kind === undefined || !ERASABLE.has(kind))
        throw new OperatorError(`row ${row}: ${kind ?? "not there"}: it cannot be erased`);
      if (isLive === 0 && !erased.has(row))
        throw new OperatorError(
          `row ${row}: its values are gone and no redaction names it: the ledger was changed; restore it from your backup`,
        );
      return isLive === 1;
    });
}

const READER_WAIT_MS = 10_000;

/** Up to this size a file is rebuilt in about the time that a process takes to start. */
const REBUILT_BYTES = 64 * 1024 * 1024;

export interface ScrubOptions {
  readonly waitMs?: number; // for readers
  readonly rebuiltBytes?: number; // a larger file is not rebuilt
}

/**
 * Removes deleted values from the file and its log. `secure_delete` overwrites a value where it lies, but not the copies that
 * SQLite left in unused parts of pages when it moved rows. A small file is rebuilt. In a large one these parts are overwritten, which takes
 * one pass over the file and no room. Throws OperatorError when the disk has no room to rebuild, or when readers or writers stay longer
 * than `waitMs`; the erasure itself is complete then.
 */
export function scrubFile(database: Database.Database, path: string, options: ScrubOptions = {}): void {
  const { waitMs = READER_WAIT_MS, rebuiltBytes = REBUILT_BYTES } = options;
  const isLarge = statSync(path).size > rebuiltBytes;
  if (!isLarge) rebuild(database, path);
  emptyLog(database, path, waitMs);
  if (isLarge) overwriteUnused(database, path, waitMs);
}

function rebuild(database: Database.Database, path: string): void {
  try {
    database.exec("VACUUM");
  } catch (cause) {
    if (!hasErrorCode(cause, "SQLITE_FULL")) throw cause;
    throw unscrubbed(
      `the disk has no room to rebuild ${path}, which needs three times its size for a moment, so copies of them may lie in its free space: free some space`,
      cause,
    );
  }
}

function emptyLog(database: Database.Database, path: string, waitMs: number): void {
  const usual = database.pragma("busy_timeout", { simple: true });
  database.pragma(`busy_timeout = ${waitMs}`);
  const busy = database
    .prepare<[], [busy: number, log: number, checkpointed: number]>("PRAGMA wal_checkpoint(TRUNCATE)")
    .raw()
    .get()?.[0];
  database.pragma(`busy_timeout = ${Number(usual)}`);
  if (busy !== 0)
    throw unscrubbed(
      `they still lie in the write-ahead log ${path}-wal, because another process has been reading the ledger for ${waitMs / 1000} seconds: wait until it ends`,
    );
}

const MAX_ATTEMPTS = 10;

/** Holds the write lock, with an empty log, while another process overwrites: so nothing else writes to the file. */
function overwriteUnused(database: Database.Database, path: string, waitMs: number): void {
  for (let attempt = 1; ; attempt += 1) {
    const isDone = database.transaction(() => isEmptyLog(path) && runOverwriter(path)).immediate();
    if (isDone) return;
    if (attempt === MAX_ATTEMPTS)
      throw unscrubbed(
        `copies of them may lie in unused parts of ${path}, because other processes write to it all the time: wait until they end`,
      );
    emptyLog(database, path, waitMs); // somebody has written meanwhile
  }
}

function isEmptyLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function runOverwriter(path: string): true {
  const script = fileURLToPath(new URL("./database/overwrite-unused.ts", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, path], { encoding: "utf8" });
  if (status === 0) return true;
  throw unscrubbed(
    `copies of them may lie in unused parts of ${path}, which could not be overwritten: ${stderr}`,
  );
}

function unscrubbed(problem: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `the values are deleted, but ${problem} and run the same command again`,
    cause === undefined ? {} : { cause },
  );
}
