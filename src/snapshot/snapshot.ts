import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { OtherStoreVersion, openDatabaseFile } from "../kernel/database-file.ts";
import { OperatorError } from "../kernel/errors.ts";
import { activityQueries } from "./activity.ts";
import { demandQueries, incidentQueries, reportCountQueries } from "./demand.ts";
import { sampleQueries } from "./fold/samples.ts";
import { citationQueries } from "./queries/citation-queries.ts";
import { cityQueries, referenceQueries } from "./queries/city-queries.ts";
import { explorerQueries } from "./queries/explorer-queries.ts";
import { cellRecordQueries, observationReader } from "./queries/observation-queries.ts";
import { placeQueries } from "./queries/place-queries.ts";
import { recordQueries } from "./queries/record-queries.ts";
import {
  independenceQueries,
  releaseQueries,
  tallyQueries,
  withdrawalQueries,
} from "./queries/release-queries.ts";
import { searchQueries } from "./queries/search-queries.ts";
import { operatorTextQueries } from "./release-settings.ts";
import { SNAPSHOT_FORMAT, SNAPSHOT_KIND, SNAPSHOT_VERSION, TABLES } from "./schema.ts";
import { SEARCH_TABLES } from "./search/search-index.ts";

/** Typed reads of a release's `snapshot.db`. It never changes after it is built, so answers may be cached. */
export interface Snapshot extends ReturnType<typeof queries> {
  close(): void;
}

interface Reading {
  /** Whether the file is mapped into memory, up to 1 GB: for readers that stay. Each mapping counts as memory of its process. */
  readonly isMapped?: boolean;
}

/** Opens a snapshot for reading. Throws OperatorError when there is none, OtherStoreVersion for that of another version. */
export function openSnapshot(path: string, { isMapped = true }: Reading = {}): Snapshot {
  const db = openFile(path);
  if (isMapped) db.pragma("mmap_size = 1073741824");
  return { ...queries(db), close: () => db.close() };
}

/**
 * Opens a snapshot that came from elsewhere. Throws OperatorError as `openSnapshot` does, and Error where it has other tables than this
 * program makes: a view in the place of a table could keep a reader busy for ever.
 */
export function openForeignSnapshot(path: string): Snapshot {
  const db = openFile(path);
  db.pragma("trusted_schema = OFF");
  db.pragma("cell_size_check = ON");
  if (isDeepStrictEqual(schemaOf(db), ownSchema())) return { ...queries(db), close: () => db.close() };
  db.close();
  throw new Error("it has other tables than this program makes");
}

function schemaOf(db: Database.Database): unknown[] {
  return db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
}

function ownSchema(): unknown[] {
  const db = new Database(":memory:");
  try {
    for (const { create, indexes } of [...TABLES, ...SEARCH_TABLES])
      for (const statement of [create, ...indexes]) db.exec(statement);
    return schemaOf(db);
  } finally {
    db.close();
  }
}

function queries(db: Database.Database) {
  const observations = observationReader(db);
  return {
    ...releaseQueries(db),
    ...activityQueries(db),
    ...demandQueries(db),
    ...operatorTextQueries(db),
    ...incidentQueries(db),
    ...reportCountQueries(db),
    ...sampleQueries(db),
    ...cityQueries(db),
    ...cellRecordQueries(db),
    ...citationQueries(db, observations),
    ...recordQueries(db, observations),
    ...explorerQueries(db),
    ...referenceQueries(db),
    ...placeQueries(db),
    ...searchQueries(db),
    ...tallyQueries(db),
    ...withdrawalQueries(db),
    ...independenceQueries(db),
  };
}

/** Whether this version of the program made the snapshot and can read it. Throws OperatorError when there is none. */
export function isReadable(path: string): boolean {
  return snapshotVersion(path) === SNAPSHOT_VERSION;
}

/** Throws OperatorError when there is no snapshot. */
export function snapshotVersion(path: string): number {
  try {
    const db = existingFile(path);
    const version = versionOf(db);
    db.close();
    return version;
  } catch (error) {
    if (error instanceof OtherStoreVersion) return error.version;
    throw error;
  }
}

function versionOf(db: Database.Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}

function openFile(path: string): Database.Database {
  const db = existingFile(path);
  const version = versionOf(db);
  if (version === SNAPSHOT_VERSION) {
    // The shared lock of the first read stays: taking it for each statement costs several times the statement.
    db.pragma("locking_mode = EXCLUSIVE");
    return db;
  }
  db.close();
  throw new OtherStoreVersion(path, SNAPSHOT_FORMAT, version);
}

function existingFile(path: string): Database.Database {
  try {
    return openDatabaseFile(path, { readonly: true, kind: SNAPSHOT_KIND });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${path}: no readable snapshot there; build a release first`, { cause });
  }
}
