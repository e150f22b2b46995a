import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { shellLine } from "../../kernel/text/terminal.ts";
import { accountOrNumber, asUser, type FileFault, fileFaults, type Owner } from "../home-access.ts";
import type { CheckContext, Finding } from "./check.ts";

const ROOT = 0;

/**
 * Owner, group and mode of everything in the home, each problem with a line to copy. The owners of folders may exchange what lies in them for links
 * while the line runs, so it has their power alone; root acts by name only where nobody else can change what the name means.
 */
export function permissions(context: CheckContext): Finding[] {
  const groups = Map.groupBy(fileFaults(context.home), ({ kind, group }) => `${kind} ${group}`);
  // Owners first, because only an owner changes modes.
  const [owners, modes] = ["owner", "mode"].map((kind) =>
    [...groups.values()].filter(([fault]) => fault?.kind === kind),
  );
  return [...(owners ?? []), ...(modes ?? [])].map((faults) => findingOf(context, faults));
}

function findingOf(context: CheckContext, faults: readonly FileFault[]): Finding {
  const [fault] = faults;
  if (fault === undefined) throw new Error("a finding of nothing");
  const isWhole = faults.length > 1 || fault.path !== fault.group;
  const where = isWhole ? `${fault.group} (${faults.length} files and folders)` : fault.path;
  if (fault.kind === "owner") {
    const problem = `${where}: belongs to ${ownerText(context, fault.stats)}, and should to ${ownerText(context, fault.owner, fault.isShared)}`;
    return { problem, mend: ownerLine(context, fault, isWhole) };
  }
  const command = isWhole ? ["-R", modeOfAll(faults), fault.group] : [fault.mode.toString(8), fault.group];
  const mend = lineAs(context, modeChanger(fault), ["chmod", ...command]);
  const advice = adviceFor(fault);
  return { problem: `${where}: ${modeText(fault)}`, mend: advice === "" ? mend : `${mend}; ${advice}` };
}

/** The one who owns it once its owner is right: `chmod` follows links, so root's would where somebody else put one. */
function modeChanger(fault: FileFault): number {
  const { owner, stats } = fault;
  return isEither(fault) && stats.uid !== ROOT ? stats.uid : owner.uid;
}

/** The command with the power of that user alone. */
function lineAs({ user }: CheckContext, uid: number, command: readonly string[]): string {
  if (uid === user.uid) return `\`${shellLine(command)}\``;
  const prefix = uid === ROOT ? [] : asUser(ROOT, accountOrNumber(user, { uid, gid: uid }));
  return `\`${shellLine([...prefix, ...command])}\` as root`;
}

const REPLACE =
  'cp -rP --preserve=mode,timestamps "$1" "$1.own" && mv -T "$1" "$1.foreign" && mv -T "$1.own" "$1"';

function ownerLine(context: CheckContext, fault: FileFault, isWhole: boolean): string {
  const { owner, stats, group: path, isShared } = fault;
  if (isShared && stats.uid !== ROOT && stats.gid !== owner.gid && isEither(fault))
    return lineAs(context, stats.uid, ["chgrp", "--no-dereference", groupText(context, owner.gid), path]);
  if (!isWhole && mayActByName(context, path))
    return lineAs(context, ROOT, ["chown", "--no-dereference", chownText(context, fault), path]);
  const replace = lineAs(context, owner.uid, ["sh", "-c", REPLACE, "sh", path]);
  const remove = lineAs(context, ROOT, ["rm", "-r", `${path}.foreign`]);
  return `${replace}, then ${remove}. It is replaced by a copy with the rights of its right owner; what that user may not read comes back from a backup`;
}

function isEither({ owner, alsoOwner, stats }: FileFault): boolean {
  return stats.uid === owner.uid || stats.uid === alsoOwner;
}

/**
 * Whether root may name a path: in folders that only root changes, or as an entry of `night/` or `state/`, which lie in such a one. Their owners can put
 * a link there, which is not followed, and no hard link to what they could not change before, where the kernel protects these.
 */
function mayActByName({ home }: CheckContext, path: string): boolean {
  const folder = dirname(path);
  if (isRootsAlone(folder, path)) return true;
  const isEntry = folder === home.night || folder === home.stateFolder;
  return isEntry && isRootsAlone(home.root, folder) && areHardLinksProtected();
}

/** Whether nobody but root can exchange an entry of the folder, nor any folder above. */
function isRootsAlone(folder: string, entry: string): boolean {
  const { uid, mode, ...stats } = plainStats(folder);
  const isKept = (mode & 0o022) === 0 || ((mode & 0o1000) !== 0 && plainStats(entry).uid === ROOT);
  if (!stats.isFolder || uid !== ROOT || !isKept) return false;
  return folder === dirname(folder) || isRootsAlone(dirname(folder), folder);
}

function plainStats(path: string): { uid: number; mode: number; isFolder: boolean } {
  const stats = lstatSync(path);
  return { uid: stats.uid, mode: stats.mode, isFolder: stats.isDirectory() };
}

function areHardLinksProtected(): boolean {
  try {
    return readFileSync("/proc/sys/fs/protected_hardlinks", "utf8").trim() === "1";
  } catch {
    return false;
  }
}

/** A folder that others may not enter is closed with all that lies in it. */
function modeOfAll(faults: readonly FileFault[]): string {
  const isClosed = faults.some(({ stats, isSecret }) => isSecret && stats.isDirectory());
  return isClosed ? "u+rwX,go-rwx" : "u+rwX,go-w,a+rX";
}

function ownerText(context: CheckContext, owner: Owner, hasGroup = true): string {
  const { name } = accountOrNumber(context.user, owner);
  return hasGroup ? `${name}:${groupText(context, owner.gid)}` : name;
}

function groupText({ user }: CheckContext, gid: number): string {
  return user.groupOf(gid)?.name ?? String(gid);
}

/** The new owner as `chown` takes it: with the shared group, else with the group of its own. */
function chownText(context: CheckContext, { owner, isShared }: FileFault): string {
  const account = context.user.accountOf(owner.uid);
  const group = isShared ? groupText(context, owner.gid) : "";
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
