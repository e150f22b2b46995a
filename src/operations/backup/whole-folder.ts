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

/** For its owner alone: a backup and a home hold keys and mail addresses. */
const FOLDER_MODE = 0o700;

interface NewFolder {
  readonly target: string;
  /** Says what is wrong with a target that holds something. */
  readonly refusal: string;
  readonly what: string; // completes "another process is …"
}

/**
 * Makes a folder that is there whole or not at all: `fill` gets a folder beside it, which is synced and takes its place in one
 * step. A killed process leaves `TARGET.incomplete`, which the next one removes. Throws OperatorError when the target holds
 * something, when another process is making it, and for a full disk; nothing is left behind then.
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
    renameSync(folder, path); // replaces an empty folder and no other
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
  // What is said of the folder in the making is to be said of its target: it is gone when somebody reads this.
  if (error instanceof OperatorError)
    return new OperatorError(error.message.replaceAll(folderFor(target), target), { cause: error.cause });
  if (!isDiskFull(error)) return error;
  return new OperatorError(
    `${target}: the disk is full: nothing of it was kept; free some space, or give a folder on another disk, and run again`,
    { cause: error },
  );
}
