/** Which user may run a command: files of another owner in a home end the nights that follow, and no command becomes another user. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import type { Home } from "../kernel/home.ts";
import { OtherStoreVersion, type StoreFormat, VERSION_OF_1X } from "../kernel/store-version.ts";
import type { Account, ProcessUser } from "../kernel/system-user.ts";
import { shellLine } from "../kernel/text/terminal.ts";

/** What a command needs of PRESENCE_HOME: `owner` all of it, `server` releases and state; `none` touches only what it names. */
export type NeededUser = "owner" | "server" | "none";

const ROOT = 0;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Owners of the two folders of a home; undefined for a folder that is missing. */
export interface HomeOwners {
  readonly home: Owner | undefined; // of `night/`
  readonly state: Owner | undefined;
}

/** A folder that was not made yet will be that of the owner of the folder above. */
export function homeOwners({ root, night, stateFolder }: Home): HomeOwners {
  return { home: ownerOf(night) ?? ownerOf(root), state: ownerOf(stateFolder) };
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
  { home, state }: HomeOwners,
): Owner | undefined {
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
      `${stateFolder}: this user may not use it: put the user into the folder's group (usermod --append --groups presence-state presence), and run \`presence doctor\``,
      { cause },
    );
  }
}

/** Root types runuser, because a minimal Debian lacks sudo. */
function refusal(user: ProcessUser, owner: Owner, home: Home, command: readonly string[]): OperatorError {
  const wanted = accountOrNumber(user, owner);
  const folder = owner.uid === homeOwners(home).home?.uid ? home.night : home.stateFolder;
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
