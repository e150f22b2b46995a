import { spawnSync } from "node:child_process";
import { shellLine } from "../../kernel/text/shell-word.ts";
import { accountOrNumber, type Owner } from "../acting-user.ts";
import { type FileFault, fileFaults } from "../home-files.ts";
import type { Check, CheckContext, Finding } from "./check.ts";

const ROOT = 0;

/** A problem of files, and the command that ends it. */
interface Repair {
  readonly problem: string;
  readonly command: readonly string[];
  readonly advice: string;
  readonly faults: readonly FileFault[];
}

/** Owner, group and mode of everything in the home. */
export const permissions: Check = {
  name: "permissions",
  find: (context) => repairsOf(context).map(findingOf),
};

function findingOf({ problem, command, advice, faults }: Repair): Finding {
  const isRoots = faults.some(({ kind }) => kind === "owner");
  const mend = `${shellLine(command)}${isRoots ? " as root, or `presence doctor --mend` as root" : ""}`;
  return { problem, mend: advice === "" ? mend : `${mend}; ${advice}` };
}

/** Puts right what this user may, and returns a line for each command that it ran. What is left, the check finds. */
export function mendFiles(context: CheckContext): string[] {
  return repairsOf(context).flatMap((repair) => {
    const [program = "", ...args] = repair.command;
    const as = actorOf(repair, context.user.uid);
    if (as === undefined) return [];
    const { status, stderr } = spawnSync(program, args, { encoding: "utf8", ...as });
    const outcome = status === 0 ? "mended" : `not mended (${(stderr ?? "").trim()})`;
    return [`${outcome}: ${shellLine(repair.command)}`];
  });
}

/** Whom the command runs as. Root changes modes as the owner, so that no link that the owner makes meanwhile leads it elsewhere. */
function actorOf({ faults }: Repair, uid: number): Partial<Owner> | undefined {
  const [fault] = faults;
  if (fault === undefined) return undefined;
  if (uid === ROOT)
    return fault.kind === "owner" || fault.isShared || fault.owner.uid === ROOT ? {} : fault.owner;
  const isOwn = faults.every(({ kind, stats }) => kind === "mode" && stats.uid === uid);
  return isOwn ? {} : undefined;
}

/** Owners first, because only an owner changes modes. */
function repairsOf(context: CheckContext): Repair[] {
  const groups = Map.groupBy(fileFaults(context.home), ({ kind, group }) => `${kind} ${group}`);
  const repairs = [...groups.values()].map((faults) => repairOf(context, faults));
  return repairs.sort((a, b) => rank(a) - rank(b));
}

function rank({ faults }: Repair): number {
  return faults[0]?.kind === "owner" ? 0 : 1;
}

function repairOf(context: CheckContext, faults: readonly FileFault[]): Repair {
  const [fault, ...others] = faults;
  if (fault === undefined) throw new Error("a repair of nothing");
  const isWhole = others.length > 0 || fault.path !== fault.group;
  const where = isWhole ? `${fault.group} (${faults.length} files and folders)` : fault.path;
  if (fault.kind === "owner") {
    const problem = `${where}: belongs to ${ownerText(context, fault.stats)}, and should to ${ownerText(context, fault.owner, fault.isShared)}`;
    const command = ["chown", isWhole ? "-hR" : "-h", chownText(context, fault), fault.group];
    return { problem, command, advice: "", faults };
  }
  const mode = isWhole ? modeOfAll(faults) : fault.mode.toString(8);
  const command = ["chmod", ...(isWhole ? ["-R"] : []), mode, fault.group];
  return { problem: `${where}: ${modeText(fault)}`, command, advice: adviceFor(fault), faults };
}

/** A folder that others may not enter is closed with all that lies in it. */
function modeOfAll(faults: readonly FileFault[]): string {
  const isClosed = faults.some(({ stats, isSecret }) => isSecret && stats.isDirectory());
  return isClosed ? "u+rwX,go-rwx" : "u+rwX,go-w,a+rX";
}

function ownerText({ user }: CheckContext, owner: Owner, hasGroup = true): string {
  const { name } = accountOrNumber(user, owner);
  return hasGroup ? `${name}:${user.groupOf(owner.gid)?.name ?? owner.gid}` : name;
}

/** The new owner as `chown` takes it: with the shared group, else with the group of its own. */
function chownText({ user }: CheckContext, { owner, isShared }: FileFault): string {
  const account = user.accountOf(owner.uid);
  const group = isShared ? (user.groupOf(owner.gid)?.name ?? String(owner.gid)) : "";
  return account === undefined
    ? `${owner.uid}:${group === "" ? owner.gid : group}`
    : `${account.name}:${group}`;
}

function modeText({ stats, mode, isSecret }: FileFault): string {
  const has = stats.mode & 0o7777;
  const extra = has & ~mode;
  const shown = `(mode ${(has & 0o7777).toString(8)})`;
  if ((extra & 0o022) !== 0 && !isSecret) return `other users may write here ${shown}`;
  if ((extra & 0o077) === 0) return `its readers may not read it ${shown}`;
  return stats.isDirectory()
    ? `other users may enter this folder ${shown}`
    : `other users may read this file ${shown}`;
}

/** What a mode does not mend: whoever read a secret has it. */
function adviceFor({ path, stats, mode, isSecret }: FileFault): string {
  if (!isSecret || (stats.mode & 0o077 & ~mode) === 0 || stats.isDirectory()) return "";
  const remedy = /state\.key$/.test(path)
    ? "rotate it: presence key rotate --state"
    : /\.json(\.next)?$/.test(path)
      ? "rotate the signing key"
      : "treat its private values as disclosed";
  return `if other users could log in meanwhile, ${remedy}`;
}
