import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { type Checkpoint, Checkpoints } from "./checkpoints.ts";
import { advanceHead } from "./fork-guard.ts";
import { loadSigner, signingKeyPath } from "./keys.ts";
import { type LedgerMeta, openDatabase } from "./meta.ts";
import { type NoteVerifier, parseVkey } from "./note.ts";
import { latestOnlineChecks, type OnlineCheck, onlineChecks } from "./online-checks.ts";
import type { LedgerRow } from "./rows.ts";
import { scoutObservers } from "./scouts.ts";
import { type Seal, seals } from "./seals.ts";
import { verifiedRows } from "./verified-rows.ts";

/**
 * Opens the ledger read-only. With `keysDir` the ledger's verification key must be the one of the key file there.
 * Throws OperatorError for a missing ledger or another key.
 */
export function openLedgerReader(path: string, options: { readonly keysDir?: string } = {}): LedgerReader {
  const { database, meta } = openDatabase(path, { readonly: true });
  const reader = new LedgerReader(database, meta);
  if (options.keysDir === undefined || loadSigner(options.keysDir, meta.environment).vkey === meta.vkey)
    return reader;
  reader.close();
  throw new OperatorError(
    `${signingKeyPath(options.keysDir, meta.environment)}: not the key that ${path} was created with: restore the right one from your backup`,
  );
}

/** The ledger as the build reads it; any number of readers may be open beside the writer. */
export class LedgerReader {
  readonly meta: LedgerMeta;
  readonly #database: Database.Database;
  readonly #verifier: NoteVerifier;
  readonly #checkpoints: Checkpoints;

  constructor(database: Database.Database, meta: LedgerMeta) {
    this.meta = meta;
    this.#database = database;
    this.#verifier = parseVkey(meta.vkey);
    this.#checkpoints = new Checkpoints(database, this.#verifier);
  }

  /** The newest row, or the newest accepted by `acceptedBy` (ms). `latestAcceptedAt` in ms, null when there is none. */
  head(acceptedBy = Number.MAX_SAFE_INTEGER): { lastRow: number; latestAcceptedAt: number | null } {
    const last = this.#database
      .prepare<[number], { lastRow: number; latestAcceptedAt: number }>(
        "SELECT id AS lastRow, accepted_at AS latestAcceptedAt FROM rows WHERE accepted_at <= ? ORDER BY id DESC LIMIT 1",
      )
      .get(acceptedBy);
    return last ?? { lastRow: 0, latestAcceptedAt: null };
  }

  /** Rows of each kind up to `upTo`; kinds that do not occur are absent. */
  counts(upTo: number): Map<string, number> {
    const counted = this.#database
      .prepare<[number], [string, number]>(
        "SELECT kind, count(*) FROM rows WHERE id <= ? GROUP BY kind ORDER BY kind",
      )
      .raw()
      .all(upTo);
    return new Map(counted);
  }

  /** Signed tree heads, the smallest first; signatures verified. */
  checkpoints(): Checkpoint[] {
    return this.#checkpoints.list();
  }

  checkpointAt(size: number): Checkpoint | undefined {
    return this.#checkpoints.at(size);
  }

  latestCheckpoint(): Checkpoint | undefined {
    return this.#checkpoints.latest();
  }

  seals(upTo: number): Seal[] {
    return seals(this.#database, upTo);
  }

  /** The first `upTo` rows, proved against the signed checkpoint of that size (see `verifiedRows`). */
  verifiedRows(upTo: number): Generator<LedgerRow> {
    return verifiedRows(this.#database, this.#checkpoints, upTo);
  }

  /** Who the scouts were, by row, as private keyed hashes (see `scoutObservers`). */
  scoutObservers(upTo: number): Generator<readonly [row: number, observer: string]> {
    return scoutObservers(this.#database, upTo);
  }

  /** Up to and including `upTo` (ms), the earliest first. */
  onlineChecks(upTo: number): Generator<OnlineCheck> {
    return onlineChecks(this.#database, upTo);
  }

  /** The last check of each record up to `upTo` (ms), by record. */
  latestOnlineChecks(upTo: number): Map<number, OnlineCheck> {
    return latestOnlineChecks(this.#database, upTo);
  }

  /** Before publishing: the head file must know every checkpoint that goes out (see `advanceHead`). */
  advanceHead(keysDir: string): void {
    const { environment } = this.meta;
    advanceHead({ keysDir, environment, verifier: this.#verifier, checkpoints: this.#checkpoints });
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
