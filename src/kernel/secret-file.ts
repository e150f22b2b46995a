import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import type { z } from "zod";
import { createFile } from "./durable-file.ts";
import { hasErrorCode, OperatorError } from "./errors.ts";

/** Files that only their owner may read: keys as JSON, and databases with private values. */

export const SECRET_BYTES = 32;
export const SECRET_MODE = 0o600;

export function secretText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Makes the file; one that exists is never written over. */
export function createSecret(path: string, text: string): void {
  try {
    createFile(path, text, SECRET_MODE);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

/** The file, empty if there was none, for whoever fills it: what SQLite makes beside a database has the same mode. */
export function reserveSecret(path: string): void {
  closeSync(openSync(path, "a", SECRET_MODE));
}

/** Throws OperatorError when the file is missing, damaged, or readable by others. */
export function readSecret<T>(path: string, schema: z.ZodType<T>): T {
  const mode = fileMode(path);
  if ((mode & 0o077) !== 0)
    throw new OperatorError(
      `${path}: other users may read this key (mode ${(mode & 0o777).toString(8)}): run chmod 600 ${path}`,
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
