/** Which user a command runs as: files of another owner in a home end the nights that follow. */

import { accessSync, constants, statSync } from "node:fs";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import type { Home } from "../kernel/home.ts";
import type { Account, ProcessUser } from "../kernel/system-user.ts";
import { shellLine } from "../kernel/text/shell-word.ts";

/**
 * What a command needs of PRESENCE_HOME: `owner` all of it, `server` releases and state, which with STATE_FOLDER a second user has; `none` touches
 * only what it names.
 */
export type NeededUser = "owner" | "server" | "none";

const ROOT = 0;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Owner and group of home and state; undefined for a folder that is missing. */
export interface HomeOwners {
  readonly home: Owner | undefined;
  readonly state: Owner | undefined; // of STATE_FOLDER
}

/** The owner of a home is that of its folder; where that is root's, that of the ledger. */
export function homeOwners({ root, ledger, stateFolder }: Home): HomeOwners {
  const folder = ownerOf(root);
  const home = folder?.uid === ROOT ? (ownerOf(ledger) ?? folder) : folder;
  return { home, state: stateFolder === undefined ? undefined : ownerOf(stateFolder) };
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

/** What a process does before it opens anything: go on, become another user, or be refused for that user. */
export type Decision =
  | { readonly action: "stay" }
  | { readonly action: "become" | "refuse"; readonly uid: number; readonly gid: number };

export function decideUser(
  { uid, groups }: Pick<ProcessUser, "uid" | "groups">,
  need: NeededUser,
  { home, state }: HomeOwners,
): Decision {
  if (need === "none" || home === undefined || uid === home.uid) return { action: "stay" };
  const server = need === "server" && state !== undefined && state.uid !== ROOT ? state : undefined;
  const wanted = server ?? home;
  if (uid === ROOT) return { action: "become", ...wanted };
  const mayServe = server !== undefined && (uid === server.uid || groups.includes(server.gid));
  return mayServe ? { action: "stay" } : { action: "refuse", ...wanted };
}

interface ActingOptions {
  readonly home: Home;
  readonly need: NeededUser;
  readonly command: readonly string[]; // as it was typed, for the message
}

/**
 * Makes root the user who owns the home (for the server: its state), before anything is opened. Throws OperatorError for any other user, who would
 * leave files that the owner cannot change.
 */
export function actAsOwner(user: ProcessUser, { home, need, command }: ActingOptions): void {
  const owners = homeOwners(home);
  const decision = decideUser(user, need, owners);
  if (decision.action === "refuse") throw refusal(user, decision, owners, { home, command });
  if (decision.action === "become") user.become(accountOrNumber(user, decision), sharedGroups(owners));
  if (need !== "none") assertMayUseState(home);
}

/** The groups through which the two users reach home and state, for users of a container that have no entry in /etc/group. */
function sharedGroups({ home, state }: HomeOwners): number[] {
  return [home, state].flatMap((owner) => (owner === undefined || owner.gid === ROOT ? [] : [owner.gid]));
}

/** A state that cannot be reached must never pass for one that is not there. */
function assertMayUseState({ stateFolder }: Home): void {
  if (stateFolder === undefined) return;
  try {
    accessSync(stateFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return; // the first command that needs it makes it
    throw new OperatorError(
      `STATE_FOLDER ${stateFolder}: this user may not use it: run \`presence doctor --mend\` as root, and put the user into the folder's group (usermod --append --groups presence-state presence)`,
      { cause },
    );
  }
}

function refusal(
  user: ProcessUser,
  decision: Owner,
  owners: HomeOwners,
  { home, command }: Pick<ActingOptions, "home" | "command">,
): OperatorError {
  const wanted = accountOrNumber(user, decision);
  const folder = decision.uid === owners.home?.uid ? home.root : (home.stateFolder ?? home.root);
  const { name } = accountOrNumber(user, { uid: user.uid, gid: user.uid });
  const run = shellLine(["sudo", "-u", sudoName(wanted), "presence", ...command]);
  return new OperatorError(
    `${folder} belongs to ${wanted.name}, but this command runs as ${name}: run it as ${wanted.name} (${run}) or as root, who becomes ${wanted.name}`,
  );
}

/** The account; its numbers alone where the machine has no name for them, as in a container. */
export function accountOrNumber(
  user: Pick<ProcessUser, "accountOf">,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Account {
  return user.accountOf(uid) ?? { uid, gid, name: `user ${uid}`, folder: "/" };
}

function sudoName({ name, uid }: Account): string {
  return name.startsWith("user ") ? `#${uid}` : name;
}
