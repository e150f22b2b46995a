import type Database from "better-sqlite3";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { type RandomBytes, systemRandom } from "../kernel/ids.ts";
import type { Clock } from "../kernel/time.ts";
import { acquireLock, type Lock } from "./database/lock.ts";
import { type LedgerMeta, openDatabase } from "./database/meta.ts";
import { migrate } from "./database/migrate.ts";
import { type Erasure, eraseRows, scrubFile } from "./erase.ts";
import {
  type ProofOutcome,
  recordProof,
  requestNewestProof,
  type Unproven,
  unprovenCheckpoints,
} from "./external-proofs.ts";
import { advanceHead, assertHoldsHead, type HeadGuard } from "./fork-guard.ts";
import { rotateSigner, settleSigner } from "./key-rotation.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import { intakeKeyPath, loadIntakeKey, type PurposeKey } from "./keys/keys.ts";
import { loadKeyRing } from "./keys/signing-keys.ts";
import { insertOnlineCheck, type OnlineCheck } from "./online-checks.ts";
import { pooled } from "./random-pool.ts";
import { type CommittedValues, commit, commitValues } from "./rows/digests.ts";
import { type NewRow, ROW_BODIES } from "./rows/rows.ts";
import { Checkpoints } from "./tree/checkpoints.ts";
import { type SealResult, sealRows } from "./tree/seal.ts";

export interface WriterOptions {
  readonly keysDir: string;
  readonly clock: Clock;
  readonly random?: RandomBytes;
}

/** How far a clock may go back (NTP steps) before the writer refuses to guess. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Opens the ledger for appending. Throws OperatorError for a missing ledger, missing or wrong keys, and a second writer.
 */
export function openLedgerWriter(path: string, options: WriterOptions): LedgerWriter {
  const { database, meta } = openDatabase(path, { readonly: false });
  let lock: Lock | undefined;
  try {
    const { environment } = meta;
    lock = acquireLock(`${path}.lock`, `writing to ${path}`);
    configure(database);
    migrate(database, meta);
    settleSigner(options.keysDir, environment, loadKeyRing(database));
    const intake = loadIntakeKey(options.keysDir, environment);
    if (intake.check !== meta.intake_check)
      throw new OperatorError(
        `${intakeKeyPath(options.keysDir, environment)}: not the key that ${path} was created with: restore the right one from your backup`,
      );
    return new LedgerWriter({
      ...options,
      path,
      database,
      lock,
      meta,
      purposeKey: intake.purposeKey,
    });
  } catch (error) {
    database.close();
    lock?.release();
    throw error;
  }
}

interface WriterParts extends WriterOptions {
  readonly path: string;
  readonly database: Database.Database;
  readonly lock: Lock;
  readonly meta: LedgerMeta;
  readonly purposeKey: PurposeKey;
}

/** The one process that may append. It owns the ids, the time of acceptance and the lock until it is closed. */
export class LedgerWriter {
  readonly meta: LedgerMeta;
  /** A key of its own for each keyed hash that intake makes. */
  readonly purposeKey: PurposeKey;
  /** For the private look-up tables of intake only: they live in the same file and commit with the rows. */
  readonly index: Database.Database;
  readonly #path: string;
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #guard: HeadGuard;
  readonly #insertRow: Database.Statement<[number, string, number, Buffer, Buffer]>;
  readonly #insertOpening: Database.Statement<[number, Buffer, string, string | null]>;
  /** The last row's; both go back when a transaction does. */
  #lastRow: number;
  #lastAcceptedAt: number;
  /** Set while a transaction runs: the time of acceptance of all its rows. */
  #instant: number | undefined;

  constructor({ path, database, lock, meta, purposeKey, keysDir, clock, random }: WriterParts) {
    this.meta = meta;
    this.purposeKey = purposeKey;
    this.index = database;
    this.#path = path;
    this.#lock = lock;
    this.#clock = clock;
    this.#random = pooled(random ?? systemRandom);
    this.#guard = { keysDir, environment: meta.environment, checkpoints: new Checkpoints(database) };
    this.#insertRow = database.prepare(
      "INSERT INTO rows (id, kind, accepted_at, digests, leaf_hash) VALUES (?, ?, ?, ?, ?)",
    );
    this.#insertOpening = database.prepare(
      "INSERT INTO openings (row, salts, body, private) VALUES (?, ?, ?, ?)",
    );
    const last = database
      .prepare<[], { id: number; acceptedAt: number }>(
        "SELECT id, accepted_at AS acceptedAt FROM rows ORDER BY id DESC LIMIT 1",
      )
      .get();
    this.#lastRow = last?.id ?? 0;
    this.#lastAcceptedAt = last?.acceptedAt ?? 0;
  }

  /** The time of acceptance, in ms: the clock, but never before the last row. Constant within a transaction. */
  now(): number {
    if (this.#instant !== undefined) return this.#instant;
    const time = this.#clock();
    if (this.#lastAcceptedAt - time > CLOCK_TOLERANCE_MS)
      throw new OperatorError(
        `clock set back: it says ${new Date(time).toISOString()}, but the last row of ${this.#path} was accepted at ` +
          `${new Date(this.#lastAcceptedAt).toISOString()}: set the clock right and run again`,
      );
    return Math.max(time, this.#lastAcceptedAt);
  }

  /** The id that the next appended row will have. */
  nextId(): number {
    return this.#lastRow + 1;
  }

  /** Runs `work` wholly or not at all. Transactions do not nest. A full disk is an OperatorError; nothing is kept then. */
  transaction<T>(work: () => T): T {
    if (this.#instant !== undefined) throw new Error("transactions do not nest");
    const [lastRow, lastAcceptedAt] = [this.#lastRow, this.#lastAcceptedAt];
    this.#instant = this.now();
    try {
      return this.index.transaction(work).immediate();
    } catch (error) {
      this.#lastRow = lastRow;
      this.#lastAcceptedAt = lastAcceptedAt;
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
    const id = this.#lastRow + 1;
    const body = JSON.stringify(ROW_BODIES[row.kind].parse(row.body));
    const values = committed ?? (row.private && commitValues(row.private, this.#random));
    const { salts, digests, leafHash } = commit(id, row.kind, body, values, this.#random);
    this.#insertRow.run(id, row.kind, this.#instant, digests, leafHash);
    this.#insertOpening.run(id, salts, body, values?.json ?? null);
    this.#lastRow = id;
    this.#lastAcceptedAt = this.#instant;
    return { id, leafHash };
  }

  appendOnlineCheck(check: OnlineCheck): void {
    insertOnlineCheck(this.index, check);
  }

  /** Closes ranges and signs the tree (see `sealRows`). Throws OperatorError when the ledger is not the one last signed. */
  seal(options: { readonly now: boolean }): SealResult {
    const result = this.transaction(() => {
      assertHoldsHead(this.#guard);
      return sealRows(
        {
          database: this.index,
          environment: this.meta.environment,
          checkpoints: this.#guard.checkpoints,
          signer: settleSigner(this.#guard.keysDir, this.meta.environment, this.keyRing()),
          instant: this.now(),
          lastRow: this.#lastRow,
          append: (row) => this.append(row),
        },
        options,
      );
    });
    advanceHead(this.#guard);
    return result;
  }

  /**
   * Erases rows for good (see `eraseRows`), then takes what is left of them out of the file (see `scrubFile`). Rows that are
   * erased already only get the second. Returns the ids of the rows that name them.
   */
  erase(erasure: Erasure): number[] {
    const named = this.transaction(() => eraseRows(this.index, erasure, (row) => this.append(row).id));
    scrubFile(this.index, this.#path);
    return named;
  }

  /** Puts a new signing key in the place of the one in use (see `rotateSigner`). No release may be built meanwhile. */
  rotateSigningKey(): void {
    rotateSigner({
      database: this.index,
      guard: this.#guard,
      random: this.#random,
      transaction: (work) => this.transaction(work),
      now: () => this.now(),
    });
  }

  /**
   * Notes down that the newest checkpoint is to have an external proof from this provider, and returns all that wait for theirs,
   * the newest first.
   */
  requestProofs(provider: string, limit: number): Unproven[] {
    return this.transaction(() => {
      requestNewestProof(this.index, provider, this.now());
      return unprovenCheckpoints(this.index, limit);
    });
  }

  recordProofs(outcomes: readonly ProofOutcome[]): void {
    this.transaction(() => {
      for (const outcome of outcomes) recordProof(this.index, outcome, this.now());
    });
  }

  /** All signing keys so far (see `KeyRing`). */
  keyRing(): KeyRing {
    return this.#guard.checkpoints.keyRing();
  }

  close(): void {
    this.index.close();
    this.#lock.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #explained(error: unknown): unknown {
    if (!hasErrorCode(error, "SQLITE_FULL")) return error;
    return new OperatorError(
      `${this.#path}: the disk is full: nothing of this batch was kept, all batches before it are; free some space and run again`,
      { cause: error },
    );
  }
}

function configure(database: Database.Database): void {
  database.pragma("synchronous = FULL"); // a committed batch survives a power cut
  database.pragma("secure_delete = ON"); // redacted values are overwritten, not just unlinked
  database.pragma("cache_size = -65536"); // 64 MB
  database.pragma("wal_autocheckpoint = 4000"); // 64 MB of log between two copies into the file
}
