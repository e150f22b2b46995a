import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/files-below.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { isDiskFull } from "../failure-text.ts";

/** For its owner only: a backup and a home hold keys and email addresses. */
const FOLDER_MODE = 0o700;

interface NewFolder {
  readonly target: string;
  /** The message for a target that is not empty. */
  readonly refusal: string;
  readonly what: string; // completes "another process is …"
}

/**
 * Creates a folder completely or not at all: `fill` fills a folder next to it, which is synced and moved into place. A killed process leaves
 * `TARGET.incomplete`, which the next one removes. Throws OperatorError when the target is not empty, when another process is creating it, and for a
 * full disk; nothing is left behind then.
 */
export async function makeFolder<T>(
  { target, refusal, what }: NewFolder,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  try {
    return await makeBeside(resolve(target), refusal, what, fill);
  } catch (error) {
    throw explained(error, resolve(target));
  }
}

async function makeBeside<T>(
  path: string,
  refusal: string,
  what: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = folderFor(path);
  const beside = dirname(folder);
  refuseFilled(path, refusal);
  mkdirSync(beside, { recursive: true, mode: FOLDER_MODE });
  const lock = acquireLock(join(beside, "lock"), what);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: FOLDER_MODE });
    const result = await fill(folder);
    for (const file of [...filesBelow(folder), folder]) syncPath(file);
    moveIntoPlace(folder, path, refusal);
    return result;
  } finally {
    rmSync(beside, { recursive: true, force: true });
    lock.release();
  }
}

function folderFor(path: string): string {
  return join(`${path}.incomplete`, "folder");
}

function refuseFilled(path: string, refusal: string): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory() || readdirSync(path).length > 0)
    throw new OperatorError(`${path}: ${refusal}`);
}

function moveIntoPlace(folder: string, path: string, refusal: string): void {
  try {
    renameSync(folder, path); // replaces only an empty folder
  } catch (cause) {
    if (!hasErrorCode(cause, "ENOTEMPTY") && !hasErrorCode(cause, "EEXIST")) throw cause;
    throw new OperatorError(`${path}: ${refusal}`, { cause });
  }
  syncPath(dirname(path));
}

function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function explained(error: unknown, target: string): unknown {
  if (!(error instanceof Error)) return error;
  // Name the target: the temporary folder is gone when the message is read.
  if (error instanceof OperatorError)
    return new OperatorError(error.message.replaceAll(folderFor(target), target), { cause: error.cause });
  if (!isDiskFull(error)) return error;
  return new OperatorError(
    `${target}: the disk is full: nothing was kept; free some space, or give a folder on another disk, and run again`,
    { cause: error },
  );
}
