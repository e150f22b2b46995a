/**
 * Who may use which file of a home. Which user may run a command: files of another owner end the nights that follow, and no command becomes
 * another user. Who owns each file, and what others may do with it: the one table of install, doctor and restore.
 */

import {
  accessSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, relative } from "node:path";
import { Environment } from "../contract/enums.ts";
import type { Config } from "../kernel/config/config.ts";
import { OtherStoreVersion, type StoreFormat, VERSION_OF_1X } from "../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import {
  isSharedFolder,
  SECRET_MODE,
  SHARED_DATABASE_MODE,
  SHARED_KEY_MODE,
} from "../kernel/files/secret-file.ts";
import { type Account, deskPaths, type Home, type ProcessUser } from "../kernel/home.ts";
import type { Log } from "../kernel/log.ts";
import { shellLine } from "../kernel/text/terminal.ts";
import { intakeKeyPath, manifestKeyPath, signingKeyPath } from "../ledger/keys/keys.ts";

/** What a command needs of PRESENCE_HOME: `owner` all of it, `server` releases and state, `desk` the desk's own folder; `none` touches only what it names. */
export type NeededUser = "owner" | "server" | "desk" | "none";

const ROOT = 0;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Owners of the two folders of a home; undefined for a folder that is missing. */
export interface HomeOwners {
  readonly home: Owner | undefined; // of `night/`
  readonly state: Owner | undefined;
  readonly desk?: Owner | undefined; // of `desk/own/`
}

/** A folder that was not made yet will be that of the owner of the folder above. */
export function homeOwners(home: Home): HomeOwners {
  const { root, night, stateFolder } = home;
  return {
    home: ownerOf(night) ?? ownerOf(root),
    state: ownerOf(stateFolder),
    desk: ownerOf(deskPaths(home).own),
  };
}

function ownerOf(path: string): Owner | undefined {
  try {
    const { uid, gid } = statSync(path);
    return { uid, gid };
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].some((code) => hasErrorCode(error, code))) return undefined;
    throw error;
  }
}

/** The user who must run the command instead; undefined if this one may. */
export function wantedUser(
  { uid, groups }: Pick<ProcessUser, "uid" | "groups">,
  need: NeededUser,
  { home, state, desk = home }: HomeOwners,
): Owner | undefined {
  if (need === "desk") return desk === undefined || uid === desk.uid ? undefined : desk;
  if (need === "none" || home === undefined || uid === home.uid) return undefined;
  if (need === "owner" || state === undefined || state.uid === home.uid) return home;
  return uid === state.uid || (uid !== ROOT && groups.includes(state.gid)) ? undefined : state;
}

interface ActingOptions {
  readonly home: Home;
  readonly need: NeededUser;
  readonly command: readonly string[]; // as it was typed, for the message
}

/** Throws OperatorError with the line to type for a user who would leave files that the owner cannot change, and for a home of presence 1.x. */
export function assertOwner(user: ProcessUser, { home, need, command }: ActingOptions): void {
  if (need === "none") return;
  const wanted = wantedUser(user, need, homeOwners(home));
  if (wanted !== undefined) throw refusal(user, wanted, home, command);
  if (need === "desk") return;
  assertLayout(home);
  assertMayUseState(home);
}

const HOME: StoreFormat = {
  store: "home",
  version: 1,
  oldest: 1,
  remedy: "delete the folder, or set PRESENCE_HOME to another one",
};

/** Presence 1.x had everything in one folder. */
function assertLayout({ root }: Home): void {
  if (existsSync(join(root, "ledger.db"))) throw new OtherStoreVersion(root, HOME, VERSION_OF_1X);
}

/** A state that cannot be reached must never pass for one that is not there. */
function assertMayUseState({ stateFolder }: Home): void {
  try {
    accessSync(stateFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return; // the first command that needs it makes it
    throw new OperatorError(
      `${stateFolder}: this user cannot access it: add the user to the folder's group (usermod --append --groups presence-state presence), and run \`presence doctor\``,
      { cause },
    );
  }
}

/** Root types runuser, because a minimal Debian lacks sudo. */
function refusal(user: ProcessUser, owner: Owner, home: Home, command: readonly string[]): OperatorError {
  const wanted = accountOrNumber(user, owner);
  const owners = homeOwners(home);
  const folder =
    owner.uid === owners.home?.uid
      ? home.night
      : owner.uid === owners.desk?.uid
        ? deskPaths(home).own
        : home.stateFolder;
  const { name } = accountOrNumber(user, { uid: user.uid, gid: user.uid });
  const line = shellLine([...asUser(user.uid, wanted), "presence", ...command]);
  return new OperatorError(
    `${folder} belongs to ${wanted.name}, but this command runs as ${name}: run it as ${wanted.name}: ${line}`,
  );
}

/** The words before a command that let another user run it. */
export function asUser(uid: number, { name, uid: wanted, gid }: Account): string[] {
  const isNamed = !name.startsWith("user ");
  if (uid !== ROOT) return ["sudo", "-u", isNamed ? name : `#${wanted}`, "--"];
  return isNamed
    ? ["runuser", "-u", name, "--"]
    : ["setpriv", `--reuid=${wanted}`, `--regid=${gid}`, "--clear-groups"];
}

/** The account; its numbers alone where the machine has no name for them, as in a container. */
export function accountOrNumber(
  user: Pick<ProcessUser, "accountOf">,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Account {
  return user.accountOf(uid) ?? { uid, gid, name: `user ${uid}` };
}

/** The most that a class of files may allow, and the least that its readers need. */
interface Modes {
  readonly max: number;
  readonly min: number;
}

interface FileClass {
  readonly folders: Modes;
  readonly files: Modes;
}

const PRIVATE: FileClass = { folders: { max: 0o700, min: 0o700 }, files: { max: SECRET_MODE, min: 0o400 } };
/** A closed folder: the heads beside the keys, for instance, are public. */
const CLOSED: FileClass = { folders: { max: 0o700, min: 0o700 }, files: { max: 0o644, min: 0o400 } };
/** The server of a second user and nginx read it. */
const PUBLIC: FileClass = { folders: { max: 0o755, min: 0o755 }, files: { max: 0o644, min: 0o444 } };
const OWN: FileClass = { folders: { max: 0o755, min: 0o700 }, files: { max: 0o755, min: 0o400 } };
const SHARED: FileClass = {
  folders: { max: 0o2770, min: 0o2770 },
  files: { max: SHARED_DATABASE_MODE, min: SHARED_DATABASE_MODE },
};
const SHARED_KEY: FileClass = { ...SHARED, files: { max: SHARED_KEY_MODE, min: SHARED_KEY_MODE } };

const SECRETS = /\.(signing|manifest|intake)\.json(\.next)?$/;

/** The class of a path below `night/`. */
export function classOf(path: string): FileClass {
  const [first = ""] = path.split("/");
  if (first === "keys") return SECRETS.test(path) ? PRIVATE : CLOSED;
  if (/^ledger\.db(-|$)/.test(first) && !first.endsWith(".lock")) return PRIVATE;
  if (/^(purge|state-to-restore|backup-(cache|check|staging))$/.test(first)) return CLOSED;
  if (first === "inbox") return PRIVATE;
  if (first === "last-release.json" || first === "to-forget.json") return PRIVATE;
  return first === "releases" ? PUBLIC : OWN;
}

export interface FileFault {
  readonly path: string;
  /** The path itself, or the release or the like that it lies in. */
  readonly group: string;
  readonly kind: "owner" | "mode";
  readonly stats: Stats;
  readonly owner: Owner;
  readonly mode: number; // that it should have
  readonly isSecret: boolean;
  readonly isShared: boolean; // in a state of two users
  readonly alsoOwner: number | undefined; // of shared files, whose group matters
}

/** Every file of the home that belongs to another user, lets others do too much, or lets readers do too little. */
export function fileFaults(home: Home): FileFault[] {
  const { home: owner, state } = homeOwners(home);
  if (owner === undefined) return [];
  const isShared = isStateShared(home);
  const faults = isShared ? topFaults(home) : [];
  const topModes = { max: 0o755, min: isShared ? 0o750 : 0o700 };
  for (const [path, stats] of walk(home.night)) {
    const name = relative(home.night, path);
    const modes = name === "" ? topModes : modesOf(classOf(name), stats);
    const needed = isShared ? modes : { ...modes, min: modes.min & 0o700 };
    faults.push(...faultsOf(path, stats, { owner, modes: needed, group: groupOf(home.night, name) }));
  }
  const isOfTwo = isShared && state !== undefined;
  const stateFaults = isOfTwo ? sharedFaults(home, owner, state) : ownStateFaults(home, owner);
  return [...faults, ...stateFaults, ...deskFaults(home, owner)];
}

/** Whether the state is that of two users: of another one than the ledger, or of a group. */
export function isStateShared(home: Home): boolean {
  const { home: owner, state } = homeOwners(home);
  return state !== undefined && (state.uid !== owner?.uid || isSharedFolder(home.stateFolder));
}

/** With two users the top folder is root's: neither can put something else in the place of the other's folder. */
function topFaults({ root }: Home): FileFault[] {
  const stats = unlessGone(() => lstatSync(root));
  const modes = { max: 0o755, min: 0o711 };
  return stats === undefined ? [] : faultsOf(root, stats, { owner: { uid: 0, gid: 0 }, modes, group: root });
}

/** What the other user of the review desk reads, or takes files out of: nobody else does. Groups are as `deploy/tmpfiles.d` made them. */
const DESK_VIEW: FileClass = { folders: { max: 0o2750, min: 0o2750 }, files: { max: 0o640, min: 0o640 } };
const DESK_DECISIONS: FileClass = {
  folders: { max: 0o2770, min: 0o2770 },
  files: { max: 0o640, min: 0o640 },
};

/** With a user of its own the desk owns two of its folders, and the ledger's owner the one that it reads. */
function deskFaults(home: Home, owner: Owner): FileFault[] {
  const { view, decisions, own } = deskPaths(home);
  const desk = ownerOf(own);
  if (desk === undefined) return [];
  const isOfTwo = desk.uid !== owner.uid;
  const folders = [
    [view, owner, DESK_VIEW],
    [decisions, desk, DESK_DECISIONS],
    [own, desk, PRIVATE],
  ] as const;
  return folders.flatMap(([folder, user, type]) =>
    [...walk(folder)].flatMap(([path, stats]) => {
      const { max, min } = modesOf(type, stats);
      const modes = isOfTwo ? { max, min } : { max, min: min & 0o700 };
      return faultsOf(path, stats, { owner: user, modes, group: folder });
    }),
  );
}

function ownStateFaults({ stateFolder }: Home, owner: Owner): FileFault[] {
  return [...walk(stateFolder)].flatMap(([path, stats]) =>
    faultsOf(path, stats, { owner, modes: modesOf(PRIVATE, stats), group: path }),
  );
}

/** Either user may have made what lies in a shared state; its group is that of both. */
function sharedFaults({ stateFolder, stateKey }: Home, owner: Owner, state: Owner): FileFault[] {
  const uid = state.uid === 0 ? owner.uid : state.uid;
  return [...walk(stateFolder)].flatMap(([path, stats]) => {
    const modes = modesOf(path === stateKey ? SHARED_KEY : SHARED, stats);
    return faultsOf(path, stats, {
      owner: { uid, gid: state.gid },
      alsoOwner: owner.uid,
      modes,
      group: path,
    });
  });
}

/** Releases and compiled pages have thousands of files: what is wrong with them is said once for each. */
function groupOf(root: string, name: string): string {
  const [first = "", second] = name.split("/");
  return second === undefined || first === "keys" ? join(root, name) : join(root, first, second);
}

function modesOf(type: FileClass, stats: Stats): Modes {
  return stats.isDirectory() ? type.folders : type.files;
}

interface Expected {
  readonly owner: Owner;
  readonly alsoOwner?: number; // of shared files, whose group matters
  readonly modes: Modes;
  readonly group: string;
}

function faultsOf(path: string, stats: Stats, { owner, alsoOwner, modes, group }: Expected): FileFault[] {
  const isShared = alsoOwner !== undefined;
  const has = stats.mode & 0o7777;
  const mode = (has | modes.min) & (modes.max | 0o2000); // setgid does no harm
  const fault = { path, group, stats, owner, alsoOwner, mode, isShared, isSecret: (modes.max & 0o007) === 0 };
  const isForeign =
    (stats.uid !== owner.uid && stats.uid !== alsoOwner) || (isShared && stats.gid !== owner.gid);
  return [
    ...(isForeign ? [{ ...fault, kind: "owner" as const }] : []),
    ...(mode !== has && !stats.isSymbolicLink() ? [{ ...fault, kind: "mode" as const }] : []),
  ];
}

/** Everything below a folder, itself included; never through a link. Passes over what vanishes and what may not be entered. */
function* walk(path: string): Generator<[string, Stats]> {
  const stats = unlessGone(() => lstatSync(path));
  if (stats === undefined) return;
  yield [path, stats];
  if (!stats.isDirectory()) return;
  const entries: Dirent[] = unlessGone(() => readdirSync(path, { withFileTypes: true })) ?? [];
  for (const { name } of entries) yield* walk(join(path, name));
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "EACCES"].some((code) => hasErrorCode(error, code))) return undefined;
    throw error;
  }
}

/** The ledger and its keys, as far as this process may read them. Names are tried, because the folder may be closed to a listing. */
export function readableSecrets({ ledger, keys }: Pick<Home, "ledger" | "keys">): string[] {
  const paths = Environment.options.flatMap((environment) => [
    signingKeyPath(keys, environment),
    manifestKeyPath(keys, environment),
    intakeKeyPath(keys, environment),
  ]);
  return [ledger, ...paths].filter(mayRead);
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

interface ServerStart {
  readonly config: Pick<Config, "serverSecrets">;
  readonly home: Pick<Home, "ledger" | "keys">;
  readonly environment: Environment | undefined; // undefined before the first release
  readonly log: Log;
}

/**
 * For a server of real data: whoever takes it over must not get the keys. Throws OperatorError when it may read ledger or keys and
 * SERVER_SECRETS is `refuse`; with `warn` it logs them. A demonstration's keys are worth nothing.
 */
export function assertSecretsClosed({ config, home, environment, log }: ServerStart): void {
  if (environment === "demo" || config.serverSecrets === "allow") return;
  const open = readableSecrets(home);
  if (open.length === 0) return;
  if (config.serverSecrets === "warn") log.error("secrets_open_to_server", { paths: open.join(" ") });
  else
    throw new OperatorError(
      `the server may read ${open.join(", ")}: run it as a user of its own (docs/operations/install.md). ` +
        "To accept the risk on a machine with one user, set SERVER_SECRETS to warn",
    );
}
