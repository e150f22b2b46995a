import type Database from "better-sqlite3";
import { z } from "zod";
import { AMONG, Sql } from "../../kernel/sql.ts";
import { utcDayStart } from "../../kernel/time.ts";

/** A line that goes to the ledger when its day is taken in. */
export interface PendingLine {
  readonly id: number;
  readonly batch: string;
  readonly line: number;
  readonly key: string; // keyed hash of its source's reference, hexadecimal
  readonly input: string; // JSON
  readonly review: PendingReview | undefined;
}

/** How a reviewer accepted a held line. */
export const PendingReview = z.object({ reason: z.string(), reviewer: z.string() });
export type PendingReview = z.infer<typeof PendingReview>;

/** A line that reviewers decide, or have decided, about. Private as a whole. */
export interface HeldLine {
  readonly key: string; // keyed hash of its source's reference, hexadecimal
  readonly batch: string;
  readonly day: number; // the UTC day of its acceptance, or of the review that accepted it; ms
  readonly state: "held" | "admitted";
  readonly reason: string;
  readonly input: string; // JSON
}

export interface NamedPending {
  readonly id: number;
  readonly input: string;
}

/** An accepted line without a row, and what it waits for. Private as a whole. */
export interface OpenLine extends NamedPending {
  readonly batch: string;
  readonly line: number;
  readonly state: "waiting" | "held" | "admitted" | "held_back";
  readonly day: number; // UTC day of acceptance, or of the decision that lets it in; ms
  readonly reason: string | null; // of one that a reviewer holds, or held
}

const OPEN_LINE = "SELECT id, batch, line, state, day, reason, input FROM pending";

export interface PendingCounts {
  /** Lines to take in, those included that a reviewer accepted. */
  readonly waiting: number;
  /** Lines that wait for a reviewer. */
  readonly held: number;
  /** The earliest UTC day with lines to take in, ms; null without such lines. */
  readonly oldestDay: number | null;
}

/** The condition of the lines that are to be taken in, as their index has it. */
export const OPEN = "state <> 'held' AND state <> 'held_back'";
const REVIEWED = "state <> 'waiting' AND state <> 'held_back'";
/** Accepted lines without a row. Writes go into a transaction of the ledger's writer; a reader only reads. */
export class PendingLines {
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#sql = new Sql(database);
  }

  /** The earliest UTC day up to and including `upTo` (ms) with lines to take in. */
  firstDay(upTo: number): number | undefined {
    const text = `SELECT min(day) FROM pending WHERE ${OPEN} AND day <= ?`;
    return this.#sql.value<number | null>(text, upTo) ?? undefined;
  }

  /** How many lines are to be taken in, up to and including a UTC day (ms). */
  countUpTo(day: number): number {
    return this.#sql.value(`SELECT count(*) FROM pending WHERE ${OPEN} AND day <= ?`, day) ?? 0;
  }

  counts(): PendingCounts {
    const counted = this.#sql.get<PendingCounts>(
      `SELECT (SELECT count(*) FROM pending WHERE ${OPEN}) AS waiting,
         (SELECT count(*) FROM pending WHERE ${REVIEWED} AND state = 'held') AS held,
         (SELECT min(day) FROM pending WHERE ${OPEN}) AS oldestDay`,
    );
    return counted ?? { waiting: 0, held: 0, oldestDay: null };
  }

  /** How many lines waited at a time in ms, and the first row that lines became later; undefined when none did. */
  at(time: number): { readonly waiting: number; readonly firstLaterRow: number | undefined } {
    const waiting = "SELECT waiting FROM pending_log WHERE at <= ? ORDER BY at DESC LIMIT 1";
    const later = this.#sql.value<number | null>("SELECT min(first_row) FROM pending_log WHERE at > ?", time);
    return { waiting: this.#sql.value(waiting, time) ?? 0, firstLaterRow: later ?? undefined };
  }

  /** Keeps a line for a reviewer. */
  hold(id: number, reason: string): void {
    this.#sql.run("UPDATE pending SET state = 'held', reason = ?, review = NULL WHERE id = ?", reason, id);
  }

  /** Deletes lines that were taken in; those held since stay. */
  removeTaken(ids: readonly number[]): void {
    this.#sql.run(`DELETE FROM pending WHERE ${OPEN} AND id ${AMONG}`, ids);
  }

  /** A reviewer accepted a held line: it is a line of the UTC day of that time (ms) from now on. */
  admit(key: string, at: number, review: PendingReview): void {
    this.#sql.run(
      "UPDATE pending SET state = 'admitted', day = ?, review = ? WHERE state = 'held' AND key = ?",
      ...[utcDayStart(at), JSON.stringify(review), Buffer.from(key, "hex")],
    );
    this.note(at, 1);
  }

  /** A reviewer refused a held line: it is deleted. */
  dismiss(key: string): void {
    this.#sql.run("DELETE FROM pending WHERE state = 'held' AND key = ?", Buffer.from(key, "hex"));
  }

  find(batch: string, line: number): OpenLine | undefined {
    return this.#sql.get(`${OPEN_LINE} WHERE batch = ? AND line = ?`, batch, line);
  }

  /** By the keyed hash of its source's reference. Reads all lines. */
  withKey(key: Buffer): OpenLine | undefined {
    return this.#sql.get(`${OPEN_LINE} WHERE key = ?`, key);
  }

  /** What lines say (JSON). */
  inputs(ids: readonly number[]): string[] {
    return this.#sql.column(`SELECT input FROM pending WHERE id ${AMONG}`, ids);
  }

  /** Deletes lines for good, at a time in ms. */
  erase(ids: readonly number[], at: number): void {
    const waiting = this.#waiting(ids);
    this.#sql.run(`DELETE FROM pending WHERE id ${AMONG}`, ids);
    this.note(at, -waiting);
  }

  /** Lines that waited for their seal wait for a reviewer from now on, at a time in ms. */
  holdAgain(lines: readonly { readonly id: number; readonly reason: string }[], at: number): void {
    const waiting = this.#waiting(lines.map(({ id }) => id));
    for (const { id, reason } of lines) this.hold(id, reason);
    this.note(at, -waiting);
  }

  /** How many of these lines are to be taken in. */
  #waiting(ids: readonly number[]): number {
    return this.#sql.value(`SELECT count(*) FROM pending WHERE ${OPEN} AND id ${AMONG}`, ids) ?? 0;
  }

  /**
   * Remembers that at a time, in ms, so many lines came to wait, or fewer; with `firstRow` because they became rows. It belongs into
   * the same transaction.
   */
  note(at: number, added: number, firstRow: number | null = null): void {
    if (added === 0 && firstRow === null) return;
    const last = this.#sql.get<{ at: number; waiting: number }>(
      "SELECT at, waiting FROM pending_log ORDER BY at DESC LIMIT 1",
    );
    this.#sql.run(
      `INSERT INTO pending_log VALUES (?, ?, ?) ON CONFLICT DO UPDATE
       SET waiting = excluded.waiting, first_row = coalesce(first_row, excluded.first_row)`,
      ...[Math.max(at, last?.at ?? 0), (last?.waiting ?? 0) + added, firstRow],
    );
  }

  /** All lines, whatever they wait for, in the order of their acceptance. */
  *all(): Generator<OpenLine> {
    for (let last = 0; ; ) {
      const lines = this.#sql.all<OpenLine>(`${OPEN_LINE} WHERE id > ? ORDER BY id LIMIT 2000`, last);
      yield* lines;
      const end = lines.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  /** Lines that reviewers decide, or have decided, about, the earliest first. */
  reviewed(): HeldLine[] {
    return this.#sql.all(
      `SELECT lower(hex(key)) AS key, batch, day, state, reason, input FROM pending WHERE ${REVIEWED} ORDER BY day, key`,
    );
  }
}

function parsedReview(review: string | null): PendingReview | undefined {
  return review === null ? undefined : PendingReview.parse(JSON.parse(review));
}

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
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    database.exec(ORDER_SQL);
    this.#sql = new Sql(database);
  }

  /** Lines of a UTC day (ms). The first chunk fixes the order for those that follow: lines that are removed or held keep their place. */
  read(day: number, { from, limit }: PendingChunk): PendingLine[] {
    if (from === 0) {
      this.#sql.run("DELETE FROM temp.pending_order");
      this.#sql.run(
        `INSERT INTO temp.pending_order (id) SELECT id FROM main.pending WHERE ${OPEN} AND day = ? ORDER BY key`,
        day,
      );
    }
    // By id, so that each page is read once: the lines of a batch are stored in the order of their keys.
    const stored = this.#sql.all<Stored>(
      `SELECT place, id, batch, line, lower(hex(key)) AS key, input, review
       FROM (SELECT place, id FROM temp.pending_order WHERE place > ? AND place <= ? ORDER BY id)
       CROSS JOIN main.pending USING (id)`,
      ...[from, from + limit],
    );
    return stored
      .sort((a, b) => a.place - b.place)
      .map(({ place, review, ...line }) => ({ ...line, review: parsedReview(review) }));
  }
}
