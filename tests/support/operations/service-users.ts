/** For tests as root: the users of an installation, by numbers that need no entry in /etc/passwd. */
import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { PROJECT } from "./presence-process.ts";

/** `presence`, `presence-web`, and somebody else; `files` and `state` are groups. */
export const USERS = { owner: 64_101, server: 64_102, other: 64_103, files: 64_111, state: 64_112 } as const;

/** What of the users' tests this machine lacks; undefined if nothing. */
export function missingForUsers(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can run programs as several users";
  const asOwner = ["--reuid", String(USERS.owner), "--regid", String(USERS.owner), "--clear-groups"];
  const { status } = spawnSync("setpriv", [
    ...asOwner,
    process.execPath,
    "--check",
    `${PROJECT}/src/cli/cli.ts`,
  ]);
  return status === 0 ? undefined : "setpriv is missing, or other users cannot read the sources";
}

/** Shell text for `ProcessOptions.shell`, by which a command runs as a user and groups. */
export function asUser(uid: number, ...groups: number[]): string {
  const further = groups.length === 0 ? "--clear-groups" : `--groups ${groups.join(",")}`;
  return `exec setpriv --reuid ${uid} --regid ${uid} ${further} "$@"`;
}

export function giveTo(path: string, uid: number, gid: number = uid): void {
  chownSync(path, uid, gid);
}
