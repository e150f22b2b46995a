/** Files that only their owner may read: keys as JSON, and databases with private values. */

import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { hasErrorCode, OperatorError } from "../errors.ts";
import { createFile } from "./durable-file.ts";

export const SECRET_BYTES = 32;
export const SECRET_MODE = 0o600;

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
 * Creates a file for SQLite, an empty one unless `create` says otherwise; SQLite gives the files next to a database the same mode. Never opens an
 * existing file: closing a live database with the file system's own calls drops every lock of this process on it (POSIX), and the next program to open
 * and close the database then deletes its log. So the new file gets its name only after it is closed.
 */
export function reserveSecret(path: string, mode = SECRET_MODE, create = createEmpty): void {
  if (existsSync(path)) return;
  const folder = mkdtempSync(`${path}.new-`); // one per process: several may start at once
  const file = join(folder, "new");
  try {
    create(file);
    chmodSync(file, mode); // whatever the umask says
    linkSync(file, path);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createEmpty(path: string): void {
  closeSync(openSync(path, "wx", SECRET_MODE));
}

/** Throws OperatorError when the file is missing, damaged, or open to more than `allowed` says. */
export function readSecret<T>(path: string, schema: z.ZodType<T>, allowed = SECRET_MODE): T {
  const mode = fileMode(path) & 0o777;
  if ((mode & 0o077 & ~allowed) !== 0)
    throw new OperatorError(
      `${path}: other users may read this key (mode ${mode.toString(8)}): run chmod ${allowed.toString(8)} ${path}`,
    );
  const parsed = schema.safeParse(parseJson(readFileSync(path, "utf8")));
  if (!parsed.success)
    throw new OperatorError(`${path}: the key file is damaged: restore it from your backup`);
  return parsed.data;
}

function fileMode(path: string): number {
  try {
    return statSync(path).mode;
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
