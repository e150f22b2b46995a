import { join } from "node:path";

/** The paths of the data under PRESENCE_HOME. `current` is a symbolic link into `releases`. */
export type Home = ReturnType<typeof homePaths>;

/**
 * `night/` belongs to the owner of the ledger, `state/` to the server's user: each writes below a folder of its own. With one user both are that
 * user's; with two, the folder above is root's and `state/` lets its group write.
 */
export function homePaths(root: string) {
  const night = join(root, "night");
  const stateFolder = join(root, "state");
  return {
    root,
    night,
    ledger: join(night, "ledger.db"),
    keys: join(night, "keys"),
    releases: join(night, "releases"),
    current: join(night, "current"),
    compiledPages: join(night, "compiled-pages"), // can be recreated at any time
    gazetteer: join(night, "gazetteer.ndjson"),
    buildLog: join(night, "build.log"),
    lastRelease: join(night, "last-release.json"), // after a restore: the record index of the last release
    review: join(night, "release-review.json"), // why a release is held, and whether all are
    incidents: join(night, "incidents.json"), // the operator's own file
    purge: join(night, "purge"), // folder of lists of addresses for caches, since the last nightly release
    nightly: join(night, "nightly.json"), // status of the last night
    ledgerCheck: join(night, "ledger-check.json"), // how far the nights have checked the rows of the ledger
    backupStatus: join(night, "backup-status.json"), // what the backups off the machine hold
    toForget: join(night, "to-forget.json"), // erased, and still to be taken from the state
    sizes: join(night, "sizes.json"), // of the last nights, for the forecast of the disk
    stateFolder,
    state: join(stateFolder, "state.db"),
    stateKey: join(stateFolder, "state.key"),
    email: join(stateFolder, "mail"), // folder of the emails of a demonstration without an email server
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
