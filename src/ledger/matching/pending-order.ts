import type Database from "better-sqlite3";
import { statements } from "../database/statements.ts";
import { OPEN, type PendingLine, parsedReview } from "./pending-lines.ts";

/** Lines of the order: `limit` of them, of which `from` come before. */
export interface PendingChunk {
  readonly from: number;
  readonly limit: number;
}

type Stored = Omit<PendingLine, "review"> & { readonly place: number; readonly review: string | null };

const ORDER_SQL =
  "CREATE TEMP TABLE IF NOT EXISTS pending_order (place INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT";

/**
 * The lines of a day in the order of their keys. The ids are sorted once a day, into a temporary table of this connection: an index
 * by key would write to as many pages as lines come, because keys are random.
 */
export class PendingOrder {
  readonly #fill: (day: number) => void;
  readonly #empty: () => void;
  readonly #read: (from: number, until: number) => Stored[];

  constructor(database: Database.Database) {
    database.exec(ORDER_SQL);
    const { all, run } = statements(database);
    this.#empty = run("DELETE FROM temp.pending_order");
    this.#fill = run(
      `INSERT INTO temp.pending_order (id) SELECT id FROM main.pending WHERE ${OPEN} AND day = ? ORDER BY key`,
    );
    this.#read = all(
      // By id, so that each page is read once: the lines of a batch are stored in the order of their keys.
      `SELECT place, id, batch, line, lower(hex(key)) AS key, input, review
       FROM (SELECT place, id FROM temp.pending_order WHERE place > ? AND place <= ? ORDER BY id)
       CROSS JOIN main.pending USING (id)`,
    );
  }

  /** Lines of a UTC day (ms). The first chunk fixes the order for those that follow: lines that are removed or held keep their place. */
  read(day: number, { from, limit }: PendingChunk): PendingLine[] {
    if (from === 0) {
      this.#empty();
      this.#fill(day);
    }
    return this.#read(from, from + limit)
      .sort((a, b) => a.place - b.place)
      .map(({ place, review, ...line }) => ({ ...line, review: parsedReview(review) }));
  }
}
