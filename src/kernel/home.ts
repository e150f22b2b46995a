import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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
    lastRelease: join(night, "last-release.json"), // after a restore: the figures and the changes of the last release
    review: join(night, "release-review.json"), // why a release is held, and whether all are
    incidents: join(night, "incidents.json"), // the operator's own file
    purge: join(night, "purge"), // folder of lists of addresses for caches, since the last nightly release
    nightly: join(night, "nightly.json"), // status of the last night
    ledgerCheck: join(night, "ledger-check.json"), // how far the nights have checked the rows of the ledger
    backupStatus: join(night, "backup-status.json"), // what the backups off the machine hold
    toForget: join(night, "to-forget.json"), // erased, and still to be taken from the state
    inbox: join(root, "inbox"), // a folder a source, in which others write
    kept: join(night, "inbox"), // of the files taken from there: archive and rejects a source, for days; in no backup
    sizes: join(night, "sizes.json"), // of the last nights, for the forecast of the disk
    stateFolder,
    state: join(stateFolder, "state.db"),
    stateKey: join(stateFolder, "state.key"),
    email: join(stateFolder, "mail"), // folder of the emails of a demonstration without an email server
  };
}

/**
 * The folders of the review desk (docs/operations/desk.md). With users of their own: `view/` is the ledger owner's, and the desk's group reads it;
 * `decisions/` and `own/` are the desk's, and the ledger owner's group may take files out of `decisions/`.
 */
export function deskPaths({ root }: Pick<Home, "root">) {
  const folder = join(root, "desk");
  return {
    folder,
    view: join(folder, "view"),
    queue: join(folder, "view", "queue.json"),
    results: join(folder, "view", "results.json"),
    decisions: join(folder, "decisions"),
    own: join(folder, "own"),
    database: join(folder, "own", "desk.db"),
  };
}

/** The parts of one release directory. */
export function releasePaths(directory: string) {
  return {
    site: join(directory, "site"),
    snapshot: join(directory, "snapshot.db"),
    figures: join(directory, "figures.ndjson"), // what the next release is compared with
    figuresNote: join(directory, "figures.note"), // signs it
    manifest: join(directory, "site", "manifest.json"),
  };
}

/** Beginning of the hidden name of a release that is built and held (see `src/build/stages/held.ts`). */
export const HELD_PREFIX = ".held-";

/** Whether a release is held in this folder of releases: all that a server knows of it. */
export function hasHeldRelease(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(HELD_PREFIX));
}

/** A user of the machine. */
export interface Account {
  readonly uid: number;
  readonly gid: number; // of its own group
  readonly name: string;
}

/** The user that a process runs as. */
export interface ProcessUser {
  readonly uid: number;
  readonly groups: readonly number[];
  accountOf(user: number | string): Account | undefined;
  groupsOf(account: Pick<Account, "uid" | "gid">): readonly number[];
  groupOf(group: number | string): { readonly gid: number; readonly name: string } | undefined;
}

/** The user of this process. */
export function systemUser(): ProcessUser {
  return {
    uid: process.geteuid?.() ?? 0,
    groups: [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])],
    groupsOf,
    accountOf: (user) => accountIn(database("passwd", user)),
    groupOf: (group) => groupIn(database("group", group)),
  };
}

/** The line of a user or group, from wherever the machine keeps them. */
function database(name: "passwd" | "group", key: number | string): string {
  return spawnSync("getent", ["--", name, String(key)], { encoding: "utf8" }).stdout ?? "";
}

/** Reads a line of passwd(5); undefined where it is none. */
export function accountIn(line: string): Account | undefined {
  const [, name = "", uid = "", gid = ""] = /^([^:\n]+):[^:\n]*:(\d+):(\d+):/.exec(line) ?? [];
  return name === "" ? undefined : { name, uid: Number(uid), gid: Number(gid) };
}

/** Reads a line of group(5); undefined where it is none. */
export function groupIn(line: string): { gid: number; name: string } | undefined {
  const [, name = "", gid = ""] = /^([^:\n]+):[^:\n]*:(\d+):/.exec(line) ?? [];
  return name === "" ? undefined : { name, gid: Number(gid) };
}

/** The groups that the machine gives a user; one without a name (as in containers) has its own alone. */
function groupsOf({ uid, gid }: Pick<Account, "uid" | "gid">): number[] {
  const { status, stdout } = spawnSync("id", ["-G", "--", String(uid)], { encoding: "utf8" });
  return status === 0 ? stdout.trim().split(" ").map(Number) : [gid];
}
