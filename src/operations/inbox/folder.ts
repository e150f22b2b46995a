/** The folders of the inbox: whose they are, and what is wrong with them. */

import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { homeOwners, isStateShared } from "../home-access.ts";

/** Lets the night's user into the folders of others; nobody else is in it. */
export const INBOX_GROUP = "presence-inbox";

/** The line to type for the folder of a source. With one user, whoever that is delivers. */
export function folderLine(context: Pick<CommandContext, "config">, source: string): string {
  const home = homeOf(context);
  const path = join(home.inbox, source);
  if (!isOfSeveral(home)) return shellLine(["install", "-d", "-m", "0700", path]);
  return `install -d -o USER -g ${INBOX_GROUP} -m 2770 ${shellLine([path])} (as root; USER is who delivers)`;
}

/** With several users the top folder is root's, and so is the inbox: nobody else exchanges its folders. */
function isOfSeveral(home: Home): boolean {
  return statsOf(home.root)?.uid !== homeOwners(home).home?.uid || isStateShared(home);
}

const ROOT = 0;

interface Fault {
  readonly problem: string;
  readonly mend: string;
}

/** What is wrong with owner and mode of the inbox and the folders of these sources. */
export function folderFaults(home: Home, uid: number, sources: readonly string[]): Fault[] {
  const top = statsOf(home.inbox);
  if (top === undefined) return [];
  return [...topFaults(home, top, uid), ...sources.flatMap((source) => faultsOf(join(home.inbox, source)))];
}

function topFaults(home: Home, top: Stats, uid: number): Fault[] {
  const several = isOfSeveral(home);
  const isRight = top.isDirectory() && top.uid === (several ? ROOT : uid) && (top.mode & 0o022) === 0;
  if (isRight) return [];
  const mend = several
    ? `\`${shellLine(["install", "-d", "-o", "root", "-g", INBOX_GROUP, "-m", "0751", home.inbox])}\` as root`
    : `\`${shellLine(["chmod", "0700", home.inbox])}\``;
  return [{ problem: `${home.inbox}: other users can replace the folders of sources`, mend }];
}

function faultsOf(path: string): Fault[] {
  const stats = statsOf(path);
  if (stats === undefined || !stats.isDirectory()) return [];
  const isOpen = (stats.mode & 0o007) !== 0;
  const open = {
    problem: `${path}: every user of this machine may use it (mode ${modeOf(stats)})`,
    mend: `\`${shellLine(["chmod", "o-rwx", path])}\` as its owner`,
  };
  const closed = {
    problem: `${path}: this user cannot remove files from it (mode ${modeOf(stats)})`,
    mend: `give it to the group as root: \`${shellLine(["chgrp", "--no-dereference", INBOX_GROUP, path])}\`, then \`${shellLine(["chmod", "2770", path])}\` as its owner`,
  };
  return [...(isOpen ? [open] : []), ...(mayUse(path) ? [] : [closed])];
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o7777).toString(8);
}

/** A unit that only looks has the folder read-only. */
function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    return hasErrorCode(error, "EROFS");
  }
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
