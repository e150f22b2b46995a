import { systemRandom } from "../kernel/ids.ts";
import { type OpenOptions, openForWriting, settleLog, type WritableLedger } from "./database/ledger-file.ts";
import { DeskDecisions } from "./decisions/desk-decisions.ts";
import { type Erasure, eraseRows, scrubFile, stripRows } from "./erase.ts";
import { type KeyRing, loadManifestKeys, type ManifestKey } from "./keys/key-ring.ts";
import { type RotationContext, rotateManifestSigner, rotateSigner } from "./keys/keys.ts";
import { WaitingLooks } from "./looks.ts";
import { Batches } from "./matching/batches.ts";
import { HeldNames } from "./matching/held-names.ts";
import { dryRunIntakeStore, type IntakeStore, intakeStore } from "./matching/intake-store.ts";
import { IntakeTraces } from "./matching/opt-outs.ts";
import { PendingLines, PendingOrder } from "./matching/pending-lines.ts";
import {
  insertOnlineCheck,
  type OnlineCheck,
  type ProofOutcome,
  recordProof,
  requestNewestProof,
  type Unproven,
  unprovenCheckpoints,
} from "./outside-tree.ts";
import { RowCache } from "./row-cache.ts";
import { DeskRows } from "./rows/desk-rows.ts";
import { LiveRows } from "./rows/live-rows.ts";
import { redactedRows, redactions } from "./rows/redactions.ts";
import { RowLog } from "./rows/row-log.ts";
import { InboxStore } from "./sources/inbox-store.ts";
import { SourceStore } from "./sources/source-store.ts";
import { type Among, type StoredObservation, storedObservations } from "./sources/stored-observations.ts";
import { advanceHead, assertHoldsHead, Checkpoints, type HeadGuard } from "./tree/checkpoints.ts";
import { type SealResult, sealRows } from "./tree/seal.ts";

export type { OpenOptions as WriterOptions } from "./database/ledger-file.ts";

/** Opens the ledger for appending (see `openForWriting` for errors). */
export function openLedgerWriter(path: string, options: OpenOptions): LedgerWriter {
  return new LedgerWriter({ ...options, path, ...openForWriting(path, options) });
}

interface WriterDeps extends WritableLedger, Omit<OpenOptions, "signers"> {
  readonly path: string;
}

/** The one process that may append. It holds the ledger's lock until it is closed. */
export class LedgerWriter extends RowLog {
  readonly meta: WritableLedger["meta"];
  /** Derives a separate key for each keyed hash that intake makes. */
  readonly purposeKey: WritableLedger["purposeKey"];
  /** What intake looks up; its writes commit with the rows. */
  readonly intake: IntakeStore;
  /** What `intake` holds about rows that are to be erased. */
  readonly traces: IntakeTraces;
  /** Registered sources, their observers, and what is known of them. */
  readonly sources: SourceStore;
  /** Accepted lines without a row. */
  readonly pending: PendingLines;
  /** What reviewers decided about held names. */
  readonly heldNames: HeldNames;
  /** The files that lines came in. */
  readonly batches: Batches;
  /** How files of sources are read, and what became of those of the inbox. */
  readonly inbox: InboxStore;
  /** Looks that wait for their rows. */
  readonly looks: WaitingLooks;
  readonly live: LiveRows;
  readonly deskRows: DeskRows;
  /** Decisions that came from the review desk. */
  readonly deskDecisions: DeskDecisions;
  readonly #signers: WritableLedger["signers"];
  readonly #lock: WritableLedger["lock"];
  readonly #guard: HeadGuard;

  constructor({ lock, meta, purposeKey, signers, keysDir, random = systemRandom, ...deps }: WriterDeps) {
    super({ ...deps, random });
    const { database } = deps;
    this.meta = meta;
    this.purposeKey = purposeKey;
    this.intake = intakeStore(database);
    this.traces = new IntakeTraces(database);
    this.sources = new SourceStore(database);
    this.pending = new PendingLines(database);
    this.heldNames = new HeldNames(database);
    this.batches = new Batches(database, this.pending);
    this.inbox = new InboxStore(database);
    this.looks = new WaitingLooks(database);
    this.live = new LiveRows(database);
    this.deskRows = new DeskRows(database);
    this.deskDecisions = new DeskDecisions(database);
    this.#signers = signers;
    this.#lock = lock;
    this.#guard = { keysDir, environment: meta.environment, checkpoints: new Checkpoints(database) };
  }

  /** Live observations with their private values (see `storedObservations`). */
  storedObservations(among?: Among): Generator<StoredObservation> {
    return storedObservations(this.database, among);
  }

  /** A store for one dry run: it reads what `intake` reads, and its writes are temporary. */
  dryRunIntake(): IntakeStore {
    return dryRunIntakeStore(this.database);
  }

  /** Lines to take in. */
  pendingOrder(): PendingOrder {
    return new PendingOrder(this.database);
  }

  appendOnlineCheck(check: OnlineCheck): void {
    insertOnlineCheck(this.database, check);
  }

  /** Closes ranges and signs the tree (see `sealRows`). Throws OperatorError when the ledger is not the one last signed. */
  seal(options: { readonly now: boolean }): SealResult {
    const result = this.transaction(() => {
      assertHoldsHead(this.#guard);
      return sealRows(
        {
          database: this.database,
          environment: this.meta.environment,
          checkpoints: this.#guard.checkpoints,
          signer: this.#signers.checkpoint(this.keyRing()),
          instant: this.now(),
          lastRow: this.nextId() - 1,
          append: (row) => this.append(row),
        },
        options,
      );
    });
    advanceHead(this.#guard);
    return result;
  }

  /**
   * Erases rows for good (see `eraseRows`). Copies may lie in unused parts of the file until `scrub`. Returns the ids of the new
   * rows that name them; none for rows that are already erased.
   */
  erase(erasure: Erasure): number[] {
    return this.transaction(() => eraseRows(this.database, erasure, (row) => this.append(row).id));
  }

  /** Within a transaction: deletes the private values of rows, whose public parts stay (see `stripRows`). */
  strip(rows: readonly number[]): void {
    stripRows(this.database, rows);
  }

  /** Removes what is left of erased rows from the file (see `scrubFile`) and from cached rows. Takes seconds per gigabyte. */
  scrub(): void {
    new RowCache(this.path).erase(new Set(redactedRows(redactions(this.database)).keys()));
    scrubFile(this.database, this.path);
  }

  /** Replaces the signing key in use by a new one (see `rotateSigner`). No release may be built meanwhile. */
  rotateSigningKey(): void {
    rotateSigner(this.#rotation());
  }

  /** Replaces the key that signs manifests by a new one (see `rotateManifestSigner`). No release may be built meanwhile. */
  rotateManifestKey(): void {
    rotateManifestSigner(this.#rotation(), this.#signers.checkpoint(this.keyRing()));
  }

  /** The keys that sign manifests, the oldest first. */
  manifestKeys(): ManifestKey[] {
    return loadManifestKeys(this.database);
  }

  #rotation(): RotationContext {
    return {
      database: this.database,
      guard: this.#guard,
      random: this.random,
      transaction: (work) => this.transaction(work),
      now: () => this.now(),
    };
  }

  /** Requests an external proof of the newest checkpoint, and returns all checkpoints that wait for one, the newest first. */
  requestProofs(provider: string, limit: number): Unproven[] {
    return this.transaction(() => {
      requestNewestProof(this.database, provider, this.now());
      return unprovenCheckpoints(this.database, limit);
    });
  }

  recordProofs(outcomes: readonly ProofOutcome[]): void {
    this.transaction(() => {
      for (const outcome of outcomes) recordProof(this.database, outcome, this.now());
    });
  }

  /** All signing keys so far (see `KeyRing`). */
  keyRing(): KeyRing {
    return this.#guard.checkpoints.keyRing();
  }

  close(): void {
    settleLog(this.database);
    this.database.close();
    this.#lock.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
