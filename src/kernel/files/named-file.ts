import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { hasErrorCode, OperatorError } from "../errors.ts";

/** The text of a file that the operator named with `option`, if any. Throws OperatorError for a file that cannot be read or is not UTF-8. */
export function readNamedFile(path: string, option = ""): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readWhole(path));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${`${option} ${path}`.trim()}: ${problemOf(cause)}`, { cause });
  }
}

function readWhole(path: string): Buffer {
  const file = openNamed(path, constants.O_RDONLY);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

const ROOT = 0;
const MODE = 0o600;

/**
 * Opens a file where the operator named it, once. Another user may write in its folder, so a link is followed only where this user or root made it. Throws
 * OperatorError for another user's link, and the system's errors.
 */
export function openNamed(path: string, flags: number): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = stats !== undefined && [ROOT, process.geteuid?.()].includes(stats.uid);
  try {
    return openSync(path, stats?.isSymbolicLink() && isOwn ? flags : flags | constants.O_NOFOLLOW, MODE);
  } catch (cause) {
    if (!hasErrorCode(cause, "ELOOP")) throw cause;
    throw new OperatorError(`${path}: it is a link of another user, which is not followed`, { cause });
  }
}

/** The same for reading, and only a regular file: a pipe that somebody put there would wait for ever. Throws OperatorError for anything else. */
export function openRegular(path: string): number {
  try {
    const file = openNamed(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`${path}: ${problemOf(cause)}`, { cause });
  }
  throw new OperatorError(`${path}: it is no regular file`);
}

/** Throws OperatorError naming the first file that does not exist. */
export function assertFilesExist(paths: readonly string[]): void {
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) throw new OperatorError(`${missing}: there is no such file`);
}

function problemOf(cause: unknown): string {
  if (hasErrorCode(cause, "ENOENT")) return "there is no such file";
  if (cause instanceof TypeError) return "the file is not UTF-8";
  return `the file cannot be read (${cause instanceof Error ? cause.message : String(cause)})`;
}
