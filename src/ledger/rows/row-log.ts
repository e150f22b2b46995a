import type Database from "better-sqlite3";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import type { RandomBytes } from "../../kernel/ids.ts";
import { CLOCK_TOLERANCE_MS, type Clock, isoDate, isoTime } from "../../kernel/time.ts";
import { type CommittedValues, commit, commitValues } from "./digests.ts";
import { type ClockBody, type NewRow, ROW_BODIES } from "./rows.ts";
import { lastInOrder, newestRow } from "./stored-rows.ts";

interface RowLogDeps {
  readonly path: string;
  readonly database: Database.Database;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** Appends rows. It owns their ids and times of acceptance, so only one process may have one on a ledger. */
export class RowLog {
  protected readonly database: Database.Database;
  readonly path: string;
  protected readonly random: RandomBytes;
  readonly #clock: Clock;
  readonly #insertRow: Database.Statement<[number, string, number, Buffer, Buffer]>;
  readonly #insertOpening: Database.Statement<[number, Buffer, string, string | null]>;
  /** The last row's id, and the time of the newest row; restored when a transaction fails. */
  #last: { readonly id: number; readonly acceptedAt: number };
  /** The time of acceptance of all rows of the running transaction. */
  #instant: number | undefined;

  constructor({ path, database, clock, random }: RowLogDeps) {
    this.path = path;
    this.database = database;
    this.random = pooled(random);
    this.#clock = clock;
    this.#insertRow = database.prepare(
      "INSERT INTO rows (id, kind, accepted_at, digests, leaf_hash) VALUES (?, ?, ?, ?, ?)",
    );
    this.#insertOpening = database.prepare(
      "INSERT INTO openings (row, salts, body, private) VALUES (?, ?, ?, ?)",
    );
    this.#last = newestRow(database);
  }

  /** The time of acceptance in ms: the clock, but never before the newest row. Constant within a transaction. */
  now(): number {
    if (this.#instant !== undefined) return this.#instant;
    const time = this.#clock();
    const { acceptedAt } = this.#last;
    if (acceptedAt - time > CLOCK_TOLERANCE_MS)
      throw new OperatorError(
        `clock set back: it says ${new Date(time).toISOString()}, but the last row of ${this.path} was accepted at ` +
          `${new Date(acceptedAt).toISOString()}: set the clock right and run again; if the last row is wrong, see \`presence clock\``,
      );
    return Math.max(time, acceptedAt);
  }

  /** When the last row was accepted, in ms; 0 without rows. */
  get lastAcceptedAt(): number {
    return this.#last.acceptedAt;
  }

  /** The id that the next appended row will have. */
  nextId(): number {
    return this.#last.id + 1;
  }

  /** Runs `work` wholly or not at all. Transactions do not nest. A full disk is an OperatorError; nothing is kept then. */
  transaction<T>(work: () => T): T {
    return this.#transactionAt(this.now(), work);
  }

  /**
   * The same for rows of an earlier time: what was accepted by `instant` (ms) and becomes rows only now. Only the rows of an
   * erasure, and seals, may be newer than the rows before them (see `rowsInOrder`); others move the time up to their own.
   */
  transactionDated<T>(instant: number, work: () => T): T {
    const floor = lastInOrder(this.database, this.#last.id);
    return this.#transactionAt(Math.min(Math.max(instant, floor), this.now()), work);
  }

  /**
   * Appends the row that leads the ledger out of the future: it is accepted at the clock's time, although the row above it is later.
   * Throws OperatorError when the last row is not in the future.
   */
  correctClock(): { id: number; body: ClockBody } {
    const time = this.#clock();
    const { acceptedAt } = this.#last;
    if (acceptedAt - time <= CLOCK_TOLERANCE_MS)
      throw new OperatorError(
        `${this.path}: the last row was accepted at ${isoTime(acceptedAt)}, which is not after the clock (${isoTime(time)}): nothing to correct`,
      );
    const body = { from: isoDate(acceptedAt), to: isoDate(time) };
    return { id: this.#transactionAt(time, () => this.append({ kind: "clock", body }).id), body };
  }

  #transactionAt<T>(instant: number, work: () => T): T {
    if (this.#instant !== undefined) throw new Error("transactions do not nest");
    const last = this.#last;
    this.#instant = instant;
    try {
      return this.database.transaction(work).immediate();
    } catch (error) {
      this.#last = last;
      throw this.#explained(error);
    } finally {
      this.#instant = undefined;
    }
  }

  /**
   * Appends within a transaction. `committed` are the private values where they were committed beforehand, in place of
   * the row's own. Throws ZodError for a body that is not its kind's, RangeError for more than four private values.
   */
  append(row: NewRow, committed?: CommittedValues): { id: number; leafHash: Buffer } {
    if (this.#instant === undefined) throw new Error("append needs a transaction");
    const id = this.nextId();
    const body = JSON.stringify(ROW_BODIES[row.kind].parse(row.body));
    const values = committed ?? (row.private && commitValues(row.private, this.random));
    const { salts, digests, leafHash } = commit(id, row.kind, body, values, this.random);
    this.#insertRow.run(id, row.kind, this.#instant, digests, leafHash);
    this.#insertOpening.run(id, salts, body, values?.json ?? null);
    const newest = row.kind === "clock" ? 0 : this.#last.acceptedAt; // a correction begins the order anew
    this.#last = { id, acceptedAt: Math.max(newest, this.#instant) };
    return { id, leafHash };
  }

  #explained(error: unknown): unknown {
    if (!hasErrorCode(error, "SQLITE_FULL")) return error;
    return new OperatorError(
      `${this.path}: the disk is full: nothing of this batch was kept, all batches before it are; free some space and run again`,
      { cause: error },
    );
  }
}

const POOL_BYTES = 65_536;

/** Draws from `random` in large pieces: a system call per row would cost as much as the row's hashes. */
export function pooled(random: RandomBytes): RandomBytes {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > POOL_BYTES) return random(size);
    if (used + size > pool.length) {
      pool = random(POOL_BYTES);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}
