/**
 * What lies in the inbox. Its folders are of others, who may exchange what lies there at any time: a folder is opened once, through no link, and
 * what is said of a file here is checked again through the descriptor when it is copied.
 */

import { accessSync, constants, existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { ForeignFolder } from "../../kernel/files/foreign-file.ts";
import { SECOND_MS } from "../../kernel/time.ts";

/** Larger files come in parts. */
export const MAX_BYTES = 4 * 2 ** 30;
/** Of a folder in one look; the others wait. */
const MAX_ENTRIES = 10_000;
/** A file that was not renamed into place is whole when nothing was written to it for so long. */
export const QUIET_MS = 60 * SECOND_MS;

/** A file that waits, or something that is none. */
export interface Entry {
  readonly source: string; // the name of its folder; "" for what lies beside the folders
  readonly name: string; // "" for a folder as a whole
  readonly bytes: number;
  readonly changedAt: number; // ms
  /** The same while nobody touches it. */
  readonly identity: string;
  /** Why it is not taken, whatever happens; null for a file that is, or will be. */
  readonly problem: string | null;
  /** Somebody may still be writing it. */
  readonly isYoung: boolean;
}

interface LookOptions {
  /** Ids of the registered sources. */
  readonly sources: ReadonlySet<string>;
  readonly now: number; // ms
  readonly uid: number; // of this process
}

/** Everything in the inbox, in the order of names; nothing where there is no inbox. */
export function lookInto(inbox: string, options: LookOptions): Entry[] {
  if (!existsSync(inbox)) return [];
  return readdirSync(inbox)
    .sort()
    .flatMap((source) => lookIntoFolder(inbox, source, options));
}

function lookIntoFolder(inbox: string, source: string, options: LookOptions): Entry[] {
  try {
    using folder = new ForeignFolder(join(inbox, source));
    const names = readdirSync(folder.path).sort();
    if (!options.sources.has(source)) return [unknownFolder(source, names.length)];
    const owner = lstatSync(`${folder.path}/.`).uid;
    return names
      .slice(0, MAX_ENTRIES)
      .map((name) => entryOf({ folder: folder.path, source, name, owner }, options));
  } catch (error) {
    return [whole(source, problemOf(error))];
  }
}

function unknownFolder(source: string, entries: number): Entry {
  const files = entries === 1 ? "1 entry" : `${entries} entries`;
  return whole(
    source,
    `no source ${source} is registered, so nothing of the folder is read (${files}): register it (presence source add), or rename the folder`,
  );
}

function whole(source: string, problem: string): Entry {
  return { source, name: "", bytes: 0, changedAt: 0, identity: "", problem, isYoung: false };
}

function problemOf(error: unknown): string {
  if (error instanceof OperatorError) return "it is a link, or no folder of a source: it is not read";
  if (!(error instanceof Error)) throw error;
  return `the folder cannot be read (${error.message.replace(/,.*/, "")}): see docs/operations/inbox.md for its owner and mode`;
}

interface Place {
  readonly folder: string; // opened
  readonly source: string;
  readonly name: string;
  readonly owner: number; // of the folder
}

function entryOf({ folder, source, name, owner }: Place, { now, uid }: LookOptions): Entry {
  const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
  if (stats === undefined)
    return { ...whole(source, "it is gone again, or its name is not UTF-8: rename it"), name };
  return {
    ...{ source, name, bytes: stats.size, changedAt: Math.max(stats.mtimeMs, stats.ctimeMs) },
    identity: identityOf(stats),
    problem: unfitName(name) ?? unfit(stats, [owner, uid, ROOT]) ?? unreadable(join(folder, name)) ?? null,
    isYoung: !isWhole(stats, now),
  };
}

const ROOT = 0;

export function identityOf({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(" ");
}

/** The name of a file between its last reading and its end. */
export function claimedName(id: number): string {
  return `.presence-taken-${id}`;
}

const PARTIAL = /\.(part|partial|tmp|temp|filepart|crdownload|swp|uploading)$|~$/i;

function unfitName(name: string): string | undefined {
  if (/^\.presence-taken-\d{1,15}$/.test(name)) return undefined; // of a run that was killed
  const isPartial = name.startsWith(".") || PARTIAL.test(name);
  return isPartial ? "its name says that it is not whole: rename it when it is" : undefined;
}

/** Why a file is not read, by its type and owner; undefined for one that is. */
export function unfit(stats: Stats, owners: readonly number[]): string | undefined {
  if (stats.isSymbolicLink()) return "it is a link: put the file itself there";
  if (stats.isDirectory()) return "it is a folder: files lie in the source's folder itself";
  if (!stats.isFile()) return "not a regular file";
  if (stats.nlink > 1) return "it has another name (a hard link): copy it there";
  if (!owners.includes(stats.uid)) return `it belongs to user ${stats.uid}, and the folder to another`;
  if (stats.size > MAX_BYTES) return `it has ${stats.size} bytes, more than ${MAX_BYTES}: divide it`;
  return undefined;
}

function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch {
    return "this user may not read it: let the group of the folder read it (chmod g+r)";
  }
}

/** Whether it was renamed into place, which changes a file's status after its content; or nobody wrote to it for a while. */
function isWhole({ ctimeMs, mtimeMs }: Stats, now: number): boolean {
  return ctimeMs > mtimeMs || now - Math.max(ctimeMs, mtimeMs) >= QUIET_MS;
}
