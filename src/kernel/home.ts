import { join } from "node:path";

/** The paths of the data under PRESENCE_HOME. `current` is a symbolic link into `releases`. */
export interface Home {
  readonly root: string;
  readonly ledger: string;
  readonly state: string;
  readonly keys: string;
  readonly releases: string;
  readonly current: string;
  readonly gazetteer: string;
  readonly compiledPages: string; // can be recreated at any time
  readonly buildLog: string;
  readonly lastRelease: string; // after a restore: the record index of the last release
  readonly incidents: string; // the operator's own file
  readonly nightly: string; // status of the last night
  readonly email: string; // folder of the emails of a demonstration without an email server
}

export function homePaths(root: string): Home {
  return {
    root,
    ledger: join(root, "ledger.db"),
    state: join(root, "state.db"),
    keys: join(root, "keys"),
    releases: join(root, "releases"),
    current: join(root, "current"),
    compiledPages: join(root, "compiled-pages"),
    gazetteer: join(root, "gazetteer.ndjson"),
    buildLog: join(root, "build.log"),
    lastRelease: join(root, "last-release.json"),
    incidents: join(root, "incidents.json"),
    nightly: join(root, "nightly.json"),
    email: join(root, "mail"),
  };
}

/** The parts of one release directory. */
export function releasePaths(directory: string): { site: string; snapshot: string; manifest: string } {
  return {
    site: join(directory, "site"),
    snapshot: join(directory, "snapshot.db"),
    manifest: join(directory, "site", "manifest.json"),
  };
}
