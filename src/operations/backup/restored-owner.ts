/** Whose a restored home is: that of the folder it takes the place of, so that service, server and nginx may enter what they must. */

import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { SHARED_DATABASE_MODE, SHARED_KEY_MODE } from "../../kernel/files/secret-file.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import type { ProcessUser } from "../../kernel/system-user.ts";
import { shellLine } from "../../kernel/text/shell-word.ts";
import { homeOwners, type Owner } from "../acting-user.ts";

const ROOT = 0;
const STATE_MODE = 0o2770;

export interface Placement {
  readonly owner: Owner; // of the files
  readonly gid: number; // of the folder
  readonly mode: number; // of the folder
  readonly state: StatePlacement | undefined; // with STATE_FOLDER below the home
}

interface StatePlacement {
  readonly name: string; // below the home
  readonly owner: Owner;
}

export interface RestoreTarget {
  readonly target: string;
  readonly configured: Home;
  readonly isProduction: boolean;
  readonly user: ProcessUser;
}

/**
 * Owner, group and modes of the restored home: those of the folder that waits for it, or of the configured home. Undefined where nothing says more than
 * the user of the process. Throws OperatorError with the steps, before anything is done, when this user cannot make a home that its readers may enter.
 */
export function placementOf(at: RestoreTarget): Placement | undefined {
  const { target, configured, isProduction, user } = at;
  assertMayCreate(at);
  const model = [target, configured.root].find((path) => existsSync(path));
  if (model === undefined) {
    if (user.uid === ROOT && isProduction) throw refusal(at, "its owner is unknown");
    return undefined;
  }
  const { uid, gid, mode } = statSync(model);
  const owner = model === target ? { uid, gid } : (homeOwners(configured).home ?? { uid, gid });
  // Another user than the service's keeps what it restores to itself.
  if (user.uid !== ROOT && (owner.uid !== user.uid || !user.groups.includes(gid))) return undefined;
  const login = user.accountOf(owner.uid)?.gid ?? owner.gid;
  return {
    owner: { uid: owner.uid, gid: login },
    gid,
    mode: mode & 0o7777,
    state: statePlacement(at, model),
  };
}

function assertMayCreate(at: RestoreTarget): void {
  let beside = dirname(resolve(at.target));
  while (!existsSync(beside)) beside = dirname(beside);
  try {
    accessSync(beside, constants.W_OK);
  } catch {
    const { name = String(at.user.uid) } = at.user.accountOf(at.user.uid) ?? {};
    throw refusal(at, `${name} may not create a folder in ${beside}`);
  }
}

function statePlacement(at: RestoreTarget, model: string): StatePlacement | undefined {
  const { configured, user } = at;
  if (configured.stateFolder === undefined) return undefined;
  const name = relative(configured.root, configured.stateFolder);
  if (name === "" || name.startsWith("..")) return undefined;
  const folder = [join(model, name), configured.stateFolder].find((path) => existsSync(path));
  if (folder === undefined) throw refusal(at, `the owner of its ${name} is unknown`);
  const { uid, gid } = statSync(folder);
  if (user.uid !== ROOT && !user.groups.includes(gid))
    throw refusal(at, `this user is not in the group of ${folder}`);
  return { name, owner: { uid: user.uid === ROOT ? uid : user.uid, gid } };
}

/** The steps of install.md that make the folders, and the command again as root. */
function refusal({ target, configured }: RestoreTarget, reason: string): OperatorError {
  const folder = ["install", "-d", "-o", "presence", "-g", "presence-files", "-m", "0750", target];
  const name = configured.stateFolder && relative(configured.root, configured.stateFolder);
  const owners = ["-o", "presence-web", "-g", "presence-state", "-m", "2770"];
  const state = name && !name.startsWith("..") ? [["install", "-d", ...owners, join(target, name)]] : [];
  const steps = [folder, ...state].map((words) => `\n  ${shellLine(words)}`).join("");
  return new OperatorError(
    `${target}: ${reason}. Nothing was done. As root, make the folders with their owners (docs/operations/install.md), and run this command again as root:${steps}`,
  );
}

/** Removes the empty folder of the state that waits in the target, as install.md makes it; a function puts it back. */
export function clearWaiting(target: string, { state }: Placement): () => void {
  const folder = join(target, state?.name ?? "");
  if (state === undefined || !existsSync(folder) || readdirSync(folder).length > 0) return () => undefined;
  const before = statSync(folder);
  rmdirSync(folder);
  return () => putBack(folder, before);
}

function putBack(folder: string, { uid, gid, mode }: Stats): void {
  if (existsSync(folder) || !existsSync(dirname(folder))) return;
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  chmodSync(folder, mode & 0o7777);
}

/** Gives the restored files, which nobody else can reach yet, their owners, groups and modes. */
export function placeHome(folder: string, placement: Placement): void {
  const { owner, gid, mode, state } = placement;
  const isRoot = process.geteuid?.() === ROOT;
  if (isRoot) for (const path of pathsBelow(folder)) lchownSync(path, owner.uid, owner.gid);
  if (state !== undefined) placeState(folder, state);
  chownSync(folder, owner.uid, gid);
  chmodSync(folder, mode);
}

function placeState(root: string, { name, owner }: StatePlacement): void {
  const from = homePaths(root);
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, mode] of [
    [from.state, SHARED_DATABASE_MODE],
    [from.stateKey, SHARED_KEY_MODE],
  ] as const) {
    if (!existsSync(path)) continue;
    const moved = join(folder, basename(path));
    renameSync(path, moved);
    chownSync(moved, owner.uid, owner.gid);
    chmodSync(moved, mode);
  }
  chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, STATE_MODE);
}

function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}
