/**
 * The order of times in the ledger. Rows follow each other by time of acceptance, with two exceptions: an erasure does not wait for
 * the lines of the days before it, so its rows, and the seals, may be newer than rows that come after them; and a row that corrects
 * the clock begins the order anew (see `ClockBody`).
 */
import type Database from "better-sqlite3";
import { INDEXED_KINDS } from "../database/tables.ts";

/** How far an order has come: times in ms. */
export interface OrderState {
  readonly last: number; // of the newest row that others must not precede
  readonly erasure: number | undefined; // of the erasure whose rows are being read
}

/** Checks the times of rows that come in order. */
export class TimeOrder {
  #last: number;
  #erasure: number | undefined;

  constructor({ last, erasure }: OrderState = { last: 0, erasure: undefined }) {
    this.#last = last;
    this.#erasure = erasure;
  }

  get state(): OrderState {
    return { last: this.#last, erasure: this.#erasure };
  }

  /** Whether a row of that kind and time (ms) may come next. */
  admits(kind: string, acceptedAt: number): boolean {
    if (acceptedAt < this.#last && kind !== "clock") return false;
    if (kind === "redaction") this.#erasure = acceptedAt;
    else if (kind === "seal") this.#erasure = undefined;
    // Rows that replace erased ones follow in the same transaction.
    else if (acceptedAt !== this.#erasure) {
      this.#erasure = undefined;
      this.#last = acceptedAt;
    }
    return true;
  }
}

const LAST_CORRECTION = "coalesce((SELECT max(id) FROM rows WHERE kind = 'clock'), 0)";

/** The last row's id, and the time of the newest row in ms. */
export function newestRow(database: Database.Database): { readonly id: number; readonly acceptedAt: number } {
  const newest = database.prepare<[], { id: number; acceptedAt: number }>(
    `SELECT max(id) AS id, max(accepted_at) AS acceptedAt FROM (
       SELECT * FROM (SELECT id, accepted_at FROM rows ORDER BY id DESC LIMIT 1)
       UNION ALL
       SELECT id, accepted_at FROM rows WHERE ${INDEXED_KINDS} AND id > ${LAST_CORRECTION})
     HAVING count(*) > 0`,
  );
  return newest.get() ?? { id: 0, acceptedAt: 0 };
}

/** The time, in ms, of the newest row up to `lastRow` that later rows must not precede; 0 when there is none. */
export function lastInOrder(database: Database.Database, lastRow: number): number {
  const last = database.prepare<[number], number>(
    `SELECT accepted_at FROM rows AS later
     WHERE id <= ? AND kind NOT IN ('seal', 'redaction') AND NOT EXISTS (
       SELECT 1 FROM rows AS erasure WHERE ${INDEXED_KINDS} AND kind = 'redaction'
         AND accepted_at = later.accepted_at AND id < later.id
         AND NOT EXISTS (SELECT 1 FROM rows AS own WHERE ${INDEXED_KINDS} AND kind = 'seal'
           AND own.id > erasure.id AND own.id < later.id))
     ORDER BY id DESC LIMIT 1`,
  );
  return last.pluck().get(lastRow) ?? 0;
}
