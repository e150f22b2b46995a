import Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { type ActivityQueries, activityQueries } from "./activity.ts";
import { type DemandQueries, demandQueries } from "./demand.ts";
import { type SampleQueries, sampleQueries } from "./fold/samples.ts";
import { type IncidentQueries, incidentQueries } from "./incidents.ts";
import { type OperatorTextQueries, operatorTextQueries } from "./operator-texts.ts";
import { type CitationQueries, citationQueries } from "./queries/citation-queries.ts";
import { type CityQueries, cityQueries } from "./queries/city-queries.ts";
import { type ExplorerQueries, explorerQueries } from "./queries/explorer-queries.ts";
import { type PlaceQueries, placeQueries } from "./queries/place-queries.ts";
import { type RecordQueries, recordQueries } from "./queries/record-queries.ts";
import { type ReferenceQueries, referenceQueries } from "./queries/reference-queries.ts";
import { type ReleaseQueries, releaseQueries } from "./queries/release-queries.ts";
import { type SearchQueries, searchQueries } from "./queries/search-queries.ts";
import { type TallyQueries, tallyQueries } from "./queries/tally-queries.ts";
import { type ReportCountQueries, reportCountQueries } from "./report-counts.ts";
import { APPLICATION_ID, SNAPSHOT_VERSION } from "./schema.ts";

/** Typed reads over one release's `snapshot.db`. It never changes after it is built, so answers may be kept. */
export interface Snapshot
  extends ReleaseQueries,
    ActivityQueries,
    DemandQueries,
    OperatorTextQueries,
    IncidentQueries,
    ReportCountQueries,
    SampleQueries,
    CityQueries,
    CitationQueries,
    RecordQueries,
    ExplorerQueries,
    ReferenceQueries,
    PlaceQueries,
    SearchQueries,
    TallyQueries {
  close(): void;
}

/** Open a snapshot for reading. Throws OperatorError when there is none, or when another version of the program made it. */
export function openSnapshot(path: string): Snapshot {
  const db = openFile(path);
  return {
    ...releaseQueries(db),
    ...activityQueries(db),
    ...demandQueries(db),
    ...operatorTextQueries(db),
    ...incidentQueries(db),
    ...reportCountQueries(db),
    ...sampleQueries(db),
    ...cityQueries(db),
    ...citationQueries(db),
    ...recordQueries(db),
    ...explorerQueries(db),
    ...referenceQueries(db),
    ...placeQueries(db),
    ...searchQueries(db),
    ...tallyQueries(db),
    close: () => db.close(),
  };
}

/** Whether this version of the program made the snapshot and can read it. Throws OperatorError when there is none. */
export function isReadable(path: string): boolean {
  const db = existingFile(path);
  try {
    return versionOf(db) === SNAPSHOT_VERSION;
  } finally {
    db.close();
  }
}

function versionOf(db: Database.Database): unknown {
  return db.pragma("user_version", { simple: true });
}

function openFile(path: string): Database.Database {
  const db = existingFile(path);
  const version = versionOf(db);
  if (version === SNAPSHOT_VERSION) {
    db.pragma("mmap_size = 1073741824");
    return db;
  }
  db.close();
  throw new OperatorError(
    `${path}: snapshot of version ${version}, expected ${SNAPSHOT_VERSION}; build a new release`,
  );
}

function existingFile(path: string): Database.Database {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    if (db.pragma("application_id", { simple: true }) === APPLICATION_ID) return db;
    db.close();
  } catch (cause) {
    throw new OperatorError(`${path}: no readable snapshot there; build a release first`, { cause });
  }
  throw new OperatorError(`${path}: not a snapshot; build a release first`);
}
