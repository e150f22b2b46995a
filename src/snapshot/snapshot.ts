import Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { type ActivityQueries, activityQueries } from "./activity.ts";
import { type CityQueries, cityQueries } from "./city-queries.ts";
import { type ExplorerQueries, explorerQueries } from "./explorer-queries.ts";
import { type RecordQueries, recordQueries } from "./record-queries.ts";
import { type ReferenceQueries, referenceQueries } from "./reference-queries.ts";
import { type ReleaseQueries, releaseQueries } from "./release-queries.ts";
import { APPLICATION_ID, SNAPSHOT_VERSION } from "./schema.ts";
import { type SearchQueries, searchQueries } from "./search-queries.ts";
import { type TallyQueries, tallyQueries } from "./tally-queries.ts";

/** Typed reads over one release's `snapshot.db`. It never changes after it is built, so answers may be kept. */
export interface Snapshot
  extends ReleaseQueries,
    ActivityQueries,
    CityQueries,
    RecordQueries,
    ExplorerQueries,
    ReferenceQueries,
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
    ...cityQueries(db),
    ...recordQueries(db),
    ...explorerQueries(db),
    ...referenceQueries(db),
    ...searchQueries(db),
    ...tallyQueries(db),
    close: () => db.close(),
  };
}

function openFile(path: string): Database.Database {
  const db = existingFile(path);
  const version = db.pragma("user_version", { simple: true });
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
