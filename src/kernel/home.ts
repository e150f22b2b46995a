import { join } from "node:path";

/** The paths of the data under PRESENCE_HOME. `current` is a symbolic link into `releases`. */
export type Home = ReturnType<typeof homePaths>;

/**
 * With `stateFolder` (STATE_FOLDER) the state and its key lie there, and the group of that folder may use them: the server has a
 * user of its own, who reads nothing else of the home but releases.
 */
export function homePaths(root: string, stateFolder?: string) {
  const keys = join(root, "keys");
  return {
    root,
    ledger: join(root, "ledger.db"),
    state: join(stateFolder ?? root, "state.db"),
    stateKey: join(stateFolder ?? keys, "state.key"),
    stateFolder,
    stateIsShared: stateFolder !== undefined,
    keys,
    releases: join(root, "releases"),
    current: join(root, "current"),
    compiledPages: join(root, "compiled-pages"), // can be recreated at any time
    gazetteer: join(root, "gazetteer.ndjson"),
    buildLog: join(root, "build.log"),
    lastRelease: join(root, "last-release.json"), // after a restore: the record index of the last release
    review: join(root, "release-review.json"), // why a release is held, and whether all are
    incidents: join(root, "incidents.json"), // the operator's own file
    purge: join(root, "purge"), // folder of lists of addresses for caches, since the last nightly release
    nightly: join(root, "nightly.json"), // status of the last night
    ledgerCheck: join(root, "ledger-check.json"), // how far the nights have checked the rows of the ledger
    backupStatus: join(root, "backup-status.json"), // what the backups off the machine hold
    backupStaging: join(root, "backup-staging"), // folder of copies on their way there
    backupCache: join(root, "backup-cache"), // restic's; can be recreated at any time
    sizes: join(root, "sizes.json"), // of the last nights, for the forecast of the disk
    email: join(root, "mail"), // folder of the emails of a demonstration without an email server
  };
}

/** The parts of one release directory. */
export function releasePaths(directory: string) {
  return {
    site: join(directory, "site"),
    snapshot: join(directory, "snapshot.db"),
    records: join(directory, "records.json"), // the record index of a release whose documents of records are no files
    manifest: join(directory, "site", "manifest.json"),
  };
}
