import type Database from "better-sqlite3";
import { redactions } from "./redactions.ts";
import { provedDisclosure, rowsInOrder } from "./stored-rows.ts";

/** The public content of a row. */
export interface PublicRow {
  readonly id: number;
  readonly disclosure: string | undefined; // undefined while no seal covers the row, and for good once it is redacted
}

/** Kinds disclosed as soon as a tree holds them: readers need them to understand ranges, gaps and dates. */
const DISCLOSED_AT_ONCE: ReadonlySet<string> = new Set(["seal", "redaction", "clock"]);

/** Whether the body of a live row must be published in a tree whose seals cover the rows up to `sealed`. */
export function isDisclosed(row: number, kind: string, sealed: number): boolean {
  return row <= sealed || DISCLOSED_AT_ONCE.has(kind);
}

/** The rows after `after` up to `upTo`, each proved (see `provedDisclosure`). */
export function* publicRows(
  database: Database.Database,
  range: { readonly after: number; readonly upTo: number; readonly sealed: number },
): Generator<PublicRow> {
  for (const row of rowsInOrder(database, range.after, range.upTo)) {
    const [id, kind] = row;
    const disclosure = provedDisclosure(row);
    yield { id, disclosure: isDisclosed(id, kind, range.sealed) ? disclosure : undefined };
  }
}

/** Rows that were redacted by rows after `after`. */
export function rowsRedactedAfter(database: Database.Database, after: number): number[] {
  return redactions(database).flatMap(({ id, rows }) => (id > after ? rows : []));
}
