import type Database from "better-sqlite3";
import { BUILT_IN } from "../contract/fields.ts";
import type { LedgerDisclosure } from "../contract/ledger/ledger.ts";
import { Sql } from "../kernel/sql.ts";
import { FormatError } from "../proof/tlog/bytes.ts";
import { parseNote, signaturesBy } from "../proof/tlog/note.ts";
import { type LedgerMeta, openDatabase } from "./database/ledger-file.ts";
import { DeskDecisions } from "./decisions/desk-decisions.ts";
import {
  type DisclosureRequest,
  discloseField,
  provedScouts,
  type RowFields,
  rowFields,
} from "./disclose.ts";
import { type KeyRing, loadManifestKeys, type ManifestKey, manifestKeyName } from "./keys/key-ring.ts";
import { loadKeyFile, manifestKeyPath, signingKeyPath } from "./keys/keys.ts";
import { type NoteSigner, openNote, parseVkey } from "./keys/note.ts";
import { Batches } from "./matching/batches.ts";
import { type IndexedCity, type IntakeStore, intakeStore } from "./matching/intake-store.ts";
import { type OptOutSource, optOutOperations } from "./matching/opt-outs.ts";
import { PendingLines, PendingOrder } from "./matching/pending-lines.ts";
import {
  type ExternalProof,
  externalProofs,
  latestOnlineChecks,
  type OnlineCheck,
  onlineChecks,
  publishedOnlineChecks,
} from "./outside-tree.ts";
import { RangeProver } from "./proved-ranges.ts";
import { DeskRows, type RecordToLookFor, recordsToLookFor } from "./rows/desk-rows.ts";
import { LiveRows } from "./rows/live-rows.ts";
import { type Redaction, redactions } from "./rows/redactions.ts";
import type { LedgerRow } from "./rows/rows.ts";
import { type LeafRow, leafRows, type PublicRow, publicRows, rowsRedactedAfter } from "./rows/stored-rows.ts";
import { InboxStore } from "./sources/inbox-store.ts";
import {
  type Affiliation,
  type Delayed,
  type KnownObserver,
  type KnownSetAside,
  type Leaving,
  type Source,
  SourceStore,
} from "./sources/source-store.ts";
import { type Among, type StoredObservation, storedObservations } from "./sources/stored-observations.ts";
import { advanceHead, assertHoldsHead, type Checkpoint, Checkpoints } from "./tree/checkpoints.ts";
import { Frontier } from "./tree/merkle.ts";
import { lastSealedRow, type Seal, seals } from "./tree/seal.ts";
import {
  type ChainEdge,
  checkRows,
  erasedRows,
  RowChain,
  type Share,
  verifiedRows,
} from "./verified-rows.ts";

/**
 * Opens the ledger read-only. With `keysDir` the ledger's newest signing key must be in that folder.
 * Throws OperatorError for a missing ledger, a table of keys that was changed, or another key.
 */
export function openLedgerReader(path: string, options: { readonly keysDir?: string } = {}): LedgerReader {
  const { database, meta } = openDatabase(path);
  const reader = new LedgerReader(database, meta);
  try {
    if (options.keysDir === undefined) reader.keyRing();
    else reader.signer(options.keysDir);
    return reader;
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** The ledger as the build reads it. Any number of readers may be open while a writer is. */
export class LedgerReader {
  readonly meta: LedgerMeta;
  readonly live: LiveRows;
  readonly deskRows: DeskRows;
  /** Decisions that came from the review desk. */
  readonly deskDecisions: DeskDecisions;
  /** The files that lines came in. */
  readonly batches: Batches;
  /** Accepted lines without a row. */
  readonly pending: PendingLines;
  /** How files of sources are read, and what became of those of the inbox. */
  readonly inbox: InboxStore;
  readonly #database: Database.Database;
  readonly #checkpoints: Checkpoints;

  constructor(database: Database.Database, meta: LedgerMeta) {
    this.meta = meta;
    this.live = new LiveRows(database);
    this.deskRows = new DeskRows(database);
    this.deskDecisions = new DeskDecisions(database);
    this.pending = new PendingLines(database);
    this.batches = new Batches(database, this.pending);
    this.inbox = new InboxStore(database);
    this.#database = database;
    this.#checkpoints = new Checkpoints(database);
  }

  /** The last row, or the last accepted by `acceptedBy` (ms). `latestAcceptedAt` in ms, null when there is none. */
  head(acceptedBy = Number.MAX_SAFE_INTEGER): { lastRow: number; latestAcceptedAt: number | null } {
    // What was pending then may be rows by now, dated earlier.
    const { firstLaterRow = Number.MAX_SAFE_INTEGER } = this.pending.at(acceptedBy);
    const last = this.#database
      .prepare<[number, number], { lastRow: number; latestAcceptedAt: number }>(
        `SELECT id AS lastRow, accepted_at AS latestAcceptedAt FROM rows
         WHERE accepted_at <= ? AND id < ? ORDER BY id DESC LIMIT 1`,
      )
      .get(acceptedBy, firstLaterRow);
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

  /** Accepted lines that waited for their day to be taken in at `asOf` (ms). */
  pendingLines(asOf: number): number {
    return this.pending.at(asOf).waiting;
  }

  get intake(): Pick<IntakeStore, "cities" | "isSynthetic"> {
    return intakeStore(this.#database);
  }

  /** Registered cities with their cells, in the order of registration. */
  cities(): IndexedCity[] {
    return this.intake.cities();
  }

  /** Registered sources, in the order of registration. */
  sources(): Source[] {
    return new SourceStore(this.#database).sources();
  }

  /** What the operator said of observers. Private. */
  observers(): KnownObserver[] {
    return new SourceStore(this.#database).observers();
  }

  /** How many observers of each source were active on a UTC day (ms) or later. */
  /** See SourceStore. */
  leaving(): Leaving {
    return new SourceStore(this.#database).leaving();
  }

  activeObservers(since: number): Map<string, number> {
    return new SourceStore(this.#database).activeObservers(since);
  }

  /** Live observations with their private values (see `storedObservations`). */
  storedObservations(among?: Among): Generator<StoredObservation> {
    return storedObservations(this.#database, among);
  }

  /** What observers are called, where their source keeps names; and when each was active last. Private. */
  observerNames() {
    return new SourceStore(this.#database).names();
  }

  lastActive() {
    return new SourceStore(this.#database).lastActive();
  }

  /** Why checks set observations aside, by row. Private. */
  setAside(): Map<number, KnownSetAside> {
    return new SourceStore(this.#database).setAside();
  }

  /** Changes that wait for their day, in the order of their targets. Private. */
  delayed(): Delayed[] {
    return new SourceStore(this.#database).delayed();
  }

  /** Keys of names that lines gave of records and that contain a text. Private. */
  namesWith(text: string): { readonly record: number; readonly key: string }[] {
    return new Sql(this.#database).all(
      "SELECT DISTINCT record, name_key AS key FROM record_names WHERE instr(name_key, ?) > 0 ORDER BY record, key",
      text,
    );
  }

  /** The list of opt-outs: keyed hashes alone. */
  optOuts(): OptOutSource {
    return optOutOperations(new Sql(this.#database), (table) => table);
  }

  /** Which principals run which records. Private. */
  affiliations(): Affiliation[] {
    return new SourceStore(this.#database).affiliations();
  }

  /** Live observations accepted from `since` (ms) on that belong to the built-in sources, in a ledger with or without others. */
  observationsWithoutSource(since: number): number {
    const counted = this.#database.prepare<[number, string], number>(
      `SELECT count(*) FROM rows JOIN openings ON row = id WHERE kind = 'observation' AND accepted_at >= ?
         AND body ->> '$.source' = ?`,
    );
    return counted.pluck().get(since, BUILT_IN) ?? 0;
  }

  /** Lines to take in. */
  pendingOrder(): PendingOrder {
    return new PendingOrder(this.#database);
  }

  /** All signing keys so far, their chain verified. Read anew each time. */
  keyRing(): KeyRing {
    return this.#checkpoints.keyRing();
  }

  /** The key that signs now. Throws OperatorError when it is not in that folder. */
  signer(keysDir: string): NoteSigner {
    return loadKeyFile(signingKeyPath(keysDir, this.meta.environment), this.keyRing().current);
  }

  /** The keys that sign manifests, the oldest first. */
  manifestKeys(): ManifestKey[] {
    return loadManifestKeys(this.#database);
  }

  /** The key that signs manifests now. Throws OperatorError when it is not in that folder. */
  manifestSigner(keysDir: string): NoteSigner {
    const name = manifestKeyName(this.meta.origin);
    const vkey = this.manifestKeys().at(-1)?.vkey ?? "";
    return loadKeyFile(manifestKeyPath(keysDir, this.meta.environment), { name, vkey });
  }

  /** The text of a note that one of these keys signed. Throws FormatError for any other note. */
  openManifestNote(note: string): string {
    const signatures = parseNote(note);
    const signer = this.manifestKeys()
      .map(({ vkey }) => parseVkey(vkey))
      .find((key) => signaturesBy(signatures, key).length > 0);
    if (signer === undefined) throw new FormatError("not signed by a key of this ledger's manifests");
    return openNote(note, signer);
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

  /** The last row that is published in a tree of that size (see `lastSealedRow`). */
  lastSealedRow(treeSize: number): number {
    return lastSealedRow(this.seals(treeSize), treeSize);
  }

  /** The first `upTo` rows, proved against the signed checkpoint of that size (see `verifiedRows`). */
  verifiedRows(upTo: number): Generator<LedgerRow> {
    return verifiedRows(this.#database, this.#checkpoints, upTo);
  }

  /** Proves ranges of the same rows, for a thread; the reader must do nothing else (see `proved-ranges.ts`). */
  rangeProver(upTo: number): RangeProver {
    return new RangeProver(this.#database, upTo);
  }

  /** Puts these ranges together (see `RowChain`), after those that lead to `edge`. */
  rowChain(upTo: number, edge?: ChainEdge): RowChain {
    return new RowChain(this.#checkpoints, { after: edge ?? 0, upTo });
  }

  /** Whether a chain with this edge leads to the next signed tree head with the rows that follow here. */
  continues({ size, peaks }: ChainEdge): boolean {
    const signed = this.checkpoints().find((checkpoint) => checkpoint.size >= size);
    if (signed === undefined) return false;
    const tree = Frontier.fromBytes(size, Buffer.from(peaks));
    for (const { leafHash } of this.leaves(size, signed.size)) tree.push(leafHash);
    return tree.root().equals(signed.root);
  }

  /** The redacted rows up to `upTo` (see `erasedRows`). */
  erasedRows(upTo: number, treeSize: number): Set<number> {
    return erasedRows(this.#database, { upTo, treeSize });
  }

  /** Checks a share of the rows and returns up to where (see `checkRows`). */
  checkRows(share: Share): number {
    return checkRows(this.#database, this.#checkpoints, share);
  }

  /** Leaves alone (see `leafRows`). */
  leaves(after: number, upTo: number): Generator<LeafRow> {
    return leafRows(this.#database, after, upTo);
  }

  /** The public content of these rows (see `publicRows`). */
  publicRows(range: { after: number; upTo: number; sealed: number }): Generator<PublicRow> {
    return publicRows(this.#database, range);
  }

  /** All values of one row, private ones included (see `rowFields`). */
  rowFields(row: number): RowFields {
    return rowFields(this.#database, row);
  }

  /** One value of one row with its proof (see `discloseField`). */
  disclose(request: DisclosureRequest): Promise<LedgerDisclosure> {
    return discloseField(
      { database: this.#database, meta: this.meta, checkpoints: this.#checkpoints },
      request,
    );
  }

  rowsRedactedAfter(after: number): number[] {
    return rowsRedactedAfter(this.#database, after);
  }

  /** The rows up to `upTo` that name erased rows, in order. */
  redactions(upTo: number): Redaction[] {
    return redactions(this.#database, upTo);
  }

  /** Scouts by row, as private principals (see `provedScouts`). */
  scouts(upTo: number): Generator<readonly [row: number, principal: string]> {
    return provedScouts(this.#database, { upTo });
  }

  /** Up to and including `upTo` (ms), the earliest first. */
  onlineChecks(upTo: number): OnlineCheck[] {
    return onlineChecks(this.#database, upTo);
  }

  /** Only those that may be published (see `publishedOnlineChecks`). */
  publishedOnlineChecks(upTo: number, sealed: number): Generator<OnlineCheck> {
    return publishedOnlineChecks(this.#database, upTo, sealed);
  }

  /** The last check of each record up to `upTo` (ms), by record. */
  latestOnlineChecks(upTo: number): Map<number, OnlineCheck> {
    return latestOnlineChecks(this.#database, upTo);
  }

  /** Records that may get an online check (see `recordsToLookFor`). */
  recordsToLookFor(): Generator<RecordToLookFor> {
    return recordsToLookFor(this.#database);
  }

  /** External proofs as they stood at `asOf` (ms; see `externalProofs`). */
  externalProofs(asOf = Number.MAX_SAFE_INTEGER): ExternalProof[] {
    return externalProofs(this.#database, asOf);
  }

  /** For a copy: throws OperatorError unless it holds the last head that these keys signed (see `assertHoldsHead`). */
  assertHoldsHead(keysDir: string): void {
    assertHoldsHead({ keysDir, environment: this.meta.environment, checkpoints: this.#checkpoints });
  }

  /** Before publishing: the head file must know every checkpoint that goes out (see `advanceHead`). */
  advanceHead(keysDir: string): void {
    advanceHead({ keysDir, environment: this.meta.environment, checkpoints: this.#checkpoints });
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
