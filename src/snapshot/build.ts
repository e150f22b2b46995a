import { existsSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import type { CachedColumns, CachedRows } from "../ledger/row-cache.ts";
import type { LedgerRow } from "../ledger/rows/rows.ts";
import { type ChecksByRecord, type CityFacts, cityFacts } from "./fold/city-facts.ts";
import { LedgerFold, type LedgerSource } from "./fold/ledger-fold.ts";
import { type Listing, listing } from "./fold/listing.ts";
import { writeSamples } from "./fold/samples.ts";
import { type Mending, RowsInEffect } from "./mend/mending.ts";
import { searchSources } from "./queries/search-queries.ts";
import { APPLICATION_ID, SNAPSHOT_VERSION, TABLES } from "./schema.ts";
import { buildSearchIndex } from "./search/search-index.ts";
import { type CityRelease, type CityRows, cityRows } from "./write/city-rows.ts";
import { CityWriter, mergedWriter } from "./write/city-writer.ts";
import { writeDecisionHistory } from "./write/decision-writer.ts";
import { type WrittenInputs, writeIndependence, writeInputs, writeRelease } from "./write/release-writer.ts";

export type { SnapshotReference } from "./write/release-writer.ts";

export interface SnapshotInput extends WrittenInputs {
  readonly out: string; // path of the snapshot; must not exist
  readonly treeSize: number; // of a signed checkpoint: the release holds the rows up to it
  readonly asOf: number; // ms
  readonly mends?: Mending | undefined; // for a patch release
}

export interface BuildInput extends SnapshotInput {
  readonly ledgerPath: string;
  readonly progress?: (rows: number, total: number) => void;
}

export interface BuildSummary {
  readonly releaseId: string;
  readonly rows: number;
  readonly observations: number; // listed ones
  readonly records: number; // listed ones, without merged
  readonly merged: number;
  readonly cities: number;
  readonly events: number;
}

/**
 * Builds `snapshot.db` from the first `treeSize` rows of the ledger, verifying each. The same input gives the same bytes.
 * Throws OperatorError when a row was changed, no checkpoint has that size, or `out` exists; no half-made file is left.
 */
export function buildSnapshot(input: BuildInput): BuildSummary {
  if (existsSync(input.out)) throw new OperatorError(`${input.out}already exists; build into a new folder`);
  using reader = openLedgerReader(input.ledgerPath);
  return writeSnapshot(input, reader, foldLedger(reader, input));
}

/** Writes a new `snapshot.db` from folded rows. Throws OperatorError when `out` exists. */
export function writeSnapshot(input: SnapshotInput, source: LedgerSource, fold: LedgerFold): BuildSummary {
  using writing = new SnapshotWriting(input, source, fold);
  for (const { facts, release } of writing.cities()) writing.city(cityRows(facts, release));
  return writing.finish();
}

/** A city of a snapshot that is being written. */
export interface CityPart {
  readonly facts: CityFacts;
  readonly release: CityRelease;
}

/** A `snapshot.db` while it is written: its cities in their order, then the rest. Unless it is finished, no file is left. */
export class SnapshotWriting {
  readonly #db: Database.Database;
  readonly #input: SnapshotInput;
  readonly #source: LedgerSource;
  readonly #fold: LedgerFold;
  readonly #listed: Listing;
  readonly #checks: ChecksByRecord;
  readonly #cities: CityWriter;
  #isFinished = false;

  /** Throws OperatorError when `out` exists. */
  constructor(input: SnapshotInput, source: LedgerSource, fold: LedgerFold) {
    if (existsSync(input.out)) throw new OperatorError(`${input.out}already exists; build into a new folder`);
    this.#input = input;
    this.#source = source;
    this.#fold = fold;
    this.#listed = listing(fold, input.asOf);
    this.#checks = checksByRecord(source, input);
    this.#db = new Database(input.out);
    try {
      this.#cities = begun(this.#db);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The cities to write, each computed when it is asked for. */
  *cities(): Generator<CityPart> {
    const { asOf, treeSize, mends } = this.#input;
    let firstObservation = 1;
    for (const listed of this.#listed.cities) {
      const carried = mends?.cities.get(listed.city.slug);
      const release = { asOf, treeSize, firstObservation, carried };
      yield { facts: cityFacts(this.#fold, listed, this.#checks, asOf), release };
      firstObservation += listed.records.reduce((sum, { rows }) => sum + rows.length, 0);
    }
  }

  city(rows: CityRows): void {
    this.#cities.write(rows);
  }

  finish(): BuildSummary {
    const releaseId = this.#writeRest();
    this.#db.exec("COMMIT");
    this.#isFinished = true;
    const { cities, merged } = this.#listed;
    const records = cities.flatMap((city) => city.records);
    return {
      releaseId,
      rows: this.#input.treeSize,
      observations: records.reduce((sum, { rows }) => sum + rows.length, 0),
      records: records.length,
      merged: merged.length,
      cities: cities.length,
      events: this.#cities.events,
    };
  }

  #writeRest(): string {
    const db = this.#db;
    const fold = this.#fold;
    const { asOf, treeSize, mends, settings } = this.#input;
    const writeMerged = mergedWriter(db, fold.sightings, asOf);
    for (const record of this.#listed.merged)
      writeMerged(record, fold.cities.get(record.into.body.city)?.details.lng ?? 0);
    writeDecisionHistory(db, fold, this.#listed);
    writeIndependence(db, fold);
    writeSamples(db, fold, this.#listed, asOf);
    const checks = this.#checks;
    const source = this.#source;
    const inputs = { ...settings, ...writeInputs(db, this.#input), source, treeSize, asOf, checks, mends };
    const releaseId = writeRelease(db, inputs, fold.seals);
    for (const index of TABLES.flatMap(({ indexes }) => indexes)) db.exec(index);
    buildSearchIndex(db, searchSources(db));
    return releaseId;
  }

  [Symbol.dispose](): void {
    this.#db.close();
    if (!this.#isFinished) rmSync(this.#input.out, { force: true });
  }
}

function begun(db: Database.Database): CityWriter {
  configure(db);
  db.exec("BEGIN");
  for (const { create } of TABLES) db.exec(create);
  return new CityWriter(db);
}

const PROGRESS_ROWS = 10_000;

function foldLedger(reader: LedgerReader, input: BuildInput): LedgerFold {
  const folding = new Folding(reader, input);
  for (const row of reader.verifiedRows(input.treeSize)) folding.row(row);
  for (const [row, principal] of reader.scouts(folding.sealed)) folding.scout(row, principal);
  return folding.finish();
}

/** Folds the verified rows of a ledger, which come in order, then its scouts. */
export class Folding {
  readonly sealed: number;
  readonly #input: BuildInput;
  readonly #fold: LedgerFold;
  readonly #inEffect: RowsInEffect;

  constructor(reader: LedgerReader, input: BuildInput) {
    const { treeSize, mends } = input;
    this.sealed = mends?.lastSealedRow ?? reader.lastSealedRow(treeSize);
    this.#input = input;
    this.#fold = new LedgerFold(treeSize);
    this.#inEffect = new RowsInEffect(this.sealed, mends !== undefined);
  }

  /** Sealed rows that were proved and kept by an earlier build, the first ones. */
  kept(rows: CachedRows): void {
    this.#fold.applyCached(rows);
    this.#input.progress?.(rows.end.size, this.#input.treeSize);
  }

  /** What the rows after `after` up to `upTo` say of observations, to be kept. */
  cachedSightings(after: number, upTo: number): CachedColumns {
    return this.#fold.sightings.kept(after, upTo);
  }

  row(row: LedgerRow): void {
    if (this.#inEffect.has(row)) this.#fold.apply(row);
    if (row.id % PROGRESS_ROWS === 0) this.#input.progress?.(row.id, this.#input.treeSize);
  }

  scout(row: number, principal: string): void {
    const { sightings } = this.#fold;
    if (sightings.record(row) === 0 || sightings.setAside(row) !== null) return;
    sightings.setScout(row, principal);
  }

  finish(): LedgerFold {
    this.#input.progress?.(this.#input.treeSize, this.#input.treeSize);
    return this.#fold;
  }
}

/** No journal and no sync: after a failure the file is deleted. */
function configure(db: Database.Database): void {
  db.pragma("page_size = 8192");
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -65536");
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${SNAPSHOT_VERSION}`);
}

function checksByRecord(source: LedgerSource, { asOf, treeSize }: SnapshotInput): ChecksByRecord {
  const published = source.publishedOnlineChecks(asOf, source.lastSealedRow(treeSize));
  return Map.groupBy(published, ({ record }) => record);
}
