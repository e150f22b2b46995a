import type Database from "better-sqlite3";
import { RedactionReason } from "../../contract/enums.ts";
import { INDEXED_KINDS } from "../database/tables.ts";
import { RedactionBody } from "./rows.ts";

/** A row that names the rows which it erased. */
export interface Redaction {
  readonly id: number;
  readonly rows: readonly number[];
  readonly reason: RedactionReason; // private
  readonly acceptedAt: number; // ms, private: public only as the day
}

type StoredRedaction = [id: number, acceptedAt: number, body: string, reason: string | null];

/** The rows of kind `redaction` up to `upTo`, in order. Throws ZodError for one without a known reason. */
export function redactions(database: Database.Database, upTo = Number.MAX_SAFE_INTEGER): Redaction[] {
  return database
    .prepare<[number], StoredRedaction>(
      `SELECT id, accepted_at, body, private ->> '$.reason' FROM rows JOIN openings ON row = id
       WHERE ${INDEXED_KINDS} AND kind = 'redaction' AND id <= ? ORDER BY id`,
    )
    .raw()
    .all(upTo)
    .map(([id, acceptedAt, body, reason]) => {
      const { rows } = RedactionBody.parse(JSON.parse(body));
      return { id, acceptedAt, rows, reason: RedactionReason.parse(reason) };
    });
}

/** Redacted row -> the first row that redacts it; only earlier rows can be redacted. */
export function redactedRows(redactions: Iterable<Redaction>): Map<number, Redaction> {
  const redactedBy = new Map<number, Redaction>();
  for (const redaction of redactions)
    for (const row of redaction.rows)
      if (row < redaction.id && !redactedBy.has(row)) redactedBy.set(row, redaction);
  return redactedBy;
}
