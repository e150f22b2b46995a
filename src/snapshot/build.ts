import { existsSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { type LedgerReader, openLedgerReader } from "../ledger/reader.ts";
import { writeActivity } from "./activity.ts";
import { writeDemand } from "./demand.ts";
import { type ChecksByRecord, cityContent } from "./fold/city-content.ts";
import { LedgerFold } from "./fold/ledger-fold.ts";
import type { LedgerSource } from "./fold/ledger-source.ts";
import { type Listing, listing } from "./fold/listing.ts";
import { writeSamples } from "./fold/samples.ts";
import { writeIncidents } from "./incidents.ts";
import { writeOperatorTexts } from "./operator-texts.ts";
import { searchSources } from "./queries/search-queries.ts";
import type { ReleaseSettings } from "./release-settings.ts";
import { writeReportCounts } from "./report-counts.ts";
import { APPLICATION_ID, INDEXES, SNAPSHOT_VERSION, TABLES } from "./schema.ts";
import { buildSearchIndex } from "./search/search-index.ts";
import { cityWriter } from "./write/city-writer.ts";
import { writeDecisionHistory } from "./write/decision-writer.ts";
import { type SnapshotReference, writeReference } from "./write/reference-writer.ts";
import { type ReleaseInputs, writeRelease } from "./write/release-writer.ts";

export type { SnapshotReference };

export interface SnapshotInput {
  readonly out: string; // path of the snapshot; must not exist
  readonly treeSize: number; // of a signed checkpoint: the release holds the rows up to it
  readonly asOf: number; // ms
  readonly settings: ReleaseSettings;
  /** SHA-256 of inputs that are not at hand, as the release was made with them; a replay has these alone. */
  readonly activityHash?: string | null;
  readonly demandHash?: string | null;
  readonly operatorTextsHash?: string | null;
  readonly incidentsHash?: string | null; // of all incidents, where only those that the release shows are at hand
  readonly reference: SnapshotReference;
  /** SHA-256 of the reference data that the release was made with, where `reference` need not be the same. */
  readonly referenceHash?: string;
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
  if (existsSync(input.out)) throw new OperatorError(`${input.out}: exists already; build into a new place`);
  using reader = openLedgerReader(input.ledgerPath);
  return writeSnapshot(input, reader, foldLedger(reader, input));
}

/** Writes a new `snapshot.db` from what its rows fold to. Throws OperatorError when `out` exists. */
export function writeSnapshot(input: SnapshotInput, source: LedgerSource, fold: LedgerFold): BuildSummary {
  if (existsSync(input.out)) throw new OperatorError(`${input.out}: exists already; build into a new place`);
  const db = new Database(input.out);
  try {
    configure(db);
    return db.transaction(() => writeAll(db, source, input, fold))();
  } catch (error) {
    db.close();
    rmSync(input.out, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

const PROGRESS_ROWS = 10_000;

function foldLedger(reader: LedgerReader, { treeSize, progress }: BuildInput): LedgerFold {
  const fold = new LedgerFold(treeSize);
  const sealed = reader.lastSealedRow(treeSize);
  for (const row of reader.verifiedRows(treeSize)) {
    if (row.id <= sealed || row.kind === "seal") fold.apply(row);
    if (row.id % PROGRESS_ROWS === 0) progress?.(row.id, treeSize);
  }
  for (const [row, observer] of reader.scoutObservers(sealed)) fold.sightings.setScout(row, observer);
  progress?.(treeSize, treeSize);
  return fold;
}

/** The file is made anew or thrown away, so neither a journal nor a sync in between could save anything. */
function configure(db: Database.Database): void {
  db.pragma("page_size = 8192");
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -65536");
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${SNAPSHOT_VERSION}`);
}

function writeAll(
  db: Database.Database,
  source: LedgerSource,
  input: SnapshotInput,
  fold: LedgerFold,
): BuildSummary {
  const { asOf, treeSize } = input;
  db.exec(TABLES);
  const listed = listing(fold, asOf);
  const checks = checksByRecord(source, input);
  const events = writeCities(db, fold, listed, checks, asOf);
  writeDecisionHistory(db, fold, listed);
  writeSamples(db, fold, listed, asOf);
  const written = writeReference(db, input.reference);
  const { settings } = input;
  const operatorTexts = writeOperatorTexts(db, settings.operatorTexts);
  const incidents = writeIncidents(db, settings.incidents);
  const inputs: ReleaseInputs = {
    ...settings,
    source,
    treeSize,
    asOf,
    checks,
    referenceHash: input.referenceHash ?? written,
    activityHash: writeActivity(db, settings.activity) ?? input.activityHash ?? null,
    demandHash: writeDemand(db, settings.demand) ?? input.demandHash ?? null,
    operatorTextsHash: operatorTexts ?? input.operatorTextsHash ?? null,
    incidentsHash: input.incidentsHash ?? incidents,
    reportsHash: writeReportCounts(db, settings.reportCounts),
  };
  const releaseId = writeRelease(db, inputs, fold.seals);
  db.exec(INDEXES);
  buildSearchIndex(db, searchSources(db));
  const records = listed.cities.flatMap((city) => city.records);
  return {
    releaseId,
    rows: treeSize,
    observations: records.reduce((sum, { rows }) => sum + rows.length, 0),
    records: records.length,
    merged: listed.merged.length,
    cities: listed.cities.length,
    events,
  };
}

/** One city at a time, so that only one city's sightings are in memory as objects. Returns the number of events. */
function writeCities(
  db: Database.Database,
  fold: LedgerFold,
  { cities, merged }: Listing,
  checks: ChecksByRecord,
  asOf: number,
): number {
  const write = cityWriter(db, fold.sightings, asOf);
  let events = 0;
  for (const city of cities) {
    const content = cityContent(fold, city, checks, asOf);
    write.city(content);
    events += content.events.length;
  }
  for (const record of merged) write.merged(record, fold.cities.get(record.into.body.city)?.details.lng ?? 0);
  return events;
}

function checksByRecord(source: LedgerSource, { asOf, treeSize }: SnapshotInput): ChecksByRecord {
  const published = source.publishedOnlineChecks(asOf, source.lastSealedRow(treeSize));
  return Map.groupBy(published, ({ record }) => record);
}
