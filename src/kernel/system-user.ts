import { spawnSync } from "node:child_process";

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
