/** Files that only their owner may read: keys as JSON, and databases with private values. */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { z } from "zod";
import { hasErrorCode, OperatorError } from "../errors.ts";
import { createFile } from "./durable-file.ts";
import { readForeignFile } from "./foreign-file.ts";

export const SECRET_BYTES = 32;
export const SECRET_MODE = 0o600;
const ROOT = 0;

export function secretText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Modes of files that two users share through a group: a key to read, a database to write. */
export const SHARED_KEY_MODE = 0o640;
export const SHARED_DATABASE_MODE = 0o660;

/** Whether the group of a folder may write there, so that two users share what lies in it. False for a missing one. */
export function isSharedFolder(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o020) !== 0;
}

/** Creates the file; never overwrites one. */
export function createSecret(path: string, text: string, mode = SECRET_MODE): void {
  try {
    createFile(path, text, mode);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

/**
 * Creates a file for SQLite; SQLite gives the files next to a database the same mode. Never opens an
 * existing file: closing a live database with the file system's own calls drops every lock of this process on it (POSIX), and the next program to open
 * and close the database then deletes its log. So the new file gets its name only after it is closed. Another user may write in the folder too, so the file is
 * made, written and opened up through one descriptor, and no link is followed.
 */
export function reserveSecret(path: string, mode = SECRET_MODE, content: Uint8Array = NOTHING): void {
  if (existsSync(path)) return;
  const draft = `${path}${DRAFT}${randomUUID()}`; // one per process: several may start at once
  try {
    writeNew(draft, mode, content);
    linkSync(draft, path);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Takes away the second name of a file that `reserveSecret` made and a kill left with both. Whether it had one. */
export function removeDrafts(path: string): boolean {
  const { ino } = statSync(path, { bigint: true });
  const folder = dirname(path);
  const drafts = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}${DRAFT}`))
    .map((name) => join(folder, name))
    .filter((draft) => lstatSync(draft, { bigint: true, throwIfNoEntry: false })?.ino === ino);
  for (const draft of drafts) rmSync(draft, { force: true });
  return drafts.length > 0;
}

const NOTHING = new Uint8Array();
const DRAFT = ".new-";

function writeNew(path: string, mode: number, content: Uint8Array): void {
  const file = openSync(path, "wx", SECRET_MODE);
  try {
    writeSync(file, content);
    fchmodSync(file, mode); // whatever the umask says
  } finally {
    closeSync(file);
  }
}

/** Throws OperatorError when the file is missing, damaged, or open to more than `allowed` says. */
export function readSecret<T>(path: string, schema: z.ZodType<T>, allowed = SECRET_MODE): T {
  const parsed = schema.safeParse(parseJson(readKeyFile(path, allowed).toString("utf8")));
  if (!parsed.success)
    throw new OperatorError(`${path}: the key file is damaged: restore it from your backup`);
  return parsed.data;
}

export const MAX_SECRET_BYTES = 65_536;

/**
 * The text of a file that holds one secret, without the newline at its end. Throws OperatorError for one that is empty, or that others than this user may
 * read: it is this user's with mode 0400 or 0600, or root's and at most its group may read it. What is checked is what was opened.
 */
export function readSecretText(path: string, option: string): string {
  const file = openNamed(path, option);
  try {
    const stats = fstatSync(file);
    const problem = secretProblem(path, stats);
    if (problem !== undefined) throw new OperatorError(`${option} ${path}: ${problem}`);
    const text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    if (text === "") throw new OperatorError(`${option} ${path}: the file is empty`);
    return text;
  } finally {
    closeSync(file);
  }
}

function openNamed(path: string, option: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO would wait
  } catch (cause) {
    const reason = hasErrorCode(cause, "ENOENT")
      ? "file not found"
      : hasErrorCode(cause, "EACCES")
        ? "this user may not read it"
        : String(cause);
    throw new OperatorError(`${option} ${path}: ${reason}`, { cause });
  }
}

function secretProblem(path: string, stats: Stats): string | undefined {
  const { uid, mode, size } = stats;
  const own = process.geteuid?.() ?? uid;
  if (!stats.isFile()) return "it is no file";
  if (size > MAX_SECRET_BYTES) return `it is larger than ${MAX_SECRET_BYTES} bytes`;
  if (uid !== own && uid !== ROOT)
    return "it belongs to another user: give it to this one, or to root with this user's group";
  const allowed = uid === ROOT ? SHARED_KEY_MODE : SECRET_MODE;
  if ((mode & 0o077 & ~allowed) === 0) return undefined;
  return `other users may read it (mode ${(mode & 0o777).toString(8)}): run chmod ${allowed.toString(8)} ${path}`;
}

/** Another user may have made the file: it is opened once, through no link, and what is checked is what was opened. */
function readKeyFile(path: string, allowed: number): Buffer {
  const assert = (stats: Stats) => {
    const mode = stats.mode & 0o777;
    if ((mode & 0o077 & ~allowed) !== 0)
      throw new OperatorError(
        `${path}: other users may read this key (mode ${mode.toString(8)}): run chmod ${allowed.toString(8)} ${path}`,
      );
  };
  try {
    return readForeignFile(dirname(path), basename(path), {
      maxBytes: MAX_SECRET_BYTES,
      hasNames: true,
      assert,
    });
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    throw new OperatorError(`${path}: the key file is missing: restore it from your backup`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
