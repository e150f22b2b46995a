/** Who owns each file of a home, and what others may do with it: the one table of install, doctor and restore. */

import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { hasErrorCode } from "../kernel/errors.ts";
import {
  isSharedFolder,
  SECRET_MODE,
  SHARED_DATABASE_MODE,
  SHARED_KEY_MODE,
} from "../kernel/files/secret-file.ts";
import type { Home } from "../kernel/home.ts";
import { homeOwners, type Owner } from "./acting-user.ts";

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
  return [...faults, ...(isOfTwo ? sharedFaults(home, owner, state) : ownStateFaults(home, owner))];
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
