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
import { basename, dirname, join, resolve } from "node:path";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/durable-file.ts";
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
export async function makeFolder<T>({ target, ...made }: NewFolder, fill: Fill<T>): Promise<T> {
  const path = resolve(target);
  return make(path, { ...made, beside: `${path}.incomplete`, place: moveIntoPlace }, fill);
}

/**
 * The same for a folder that is there, empty, in one that this user may not write. `fill` fills a folder within it, and what it puts below a folder of
 * the target's name is moved into the target.
 */
export function fillFolder<T>({ target, ...made }: NewFolder, fill: Fill<T>): Promise<T> {
  const path = resolve(target);
  return make(path, { ...made, beside: join(path, INSIDE), place: moveContent }, fill);
}

type Fill<T> = (folder: string) => Promise<T>;

interface Making extends Omit<NewFolder, "target"> {
  readonly beside: string;
  readonly place: (folder: string, path: string, refusal: string) => void;
}

const INSIDE = ".incomplete";

async function make<T>(path: string, { beside, refusal, what, place }: Making, fill: Fill<T>): Promise<T> {
  const folder = join(beside, "folder");
  try {
    refuseFilled(path, refusal);
    mkdirSync(beside, { recursive: true, mode: FOLDER_MODE });
    using made = new DisposableStack();
    made.use(acquireLock(join(beside, "lock"), what));
    made.defer(() => rmSync(beside, { recursive: true, force: true }));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: FOLDER_MODE });
    const result = await fill(folder);
    for (const file of [...filesBelow(folder), folder]) syncPath(file);
    place(folder, path, refusal);
    return result;
  } catch (error) {
    throw explained(error, folder, path);
  }
}

function refuseFilled(path: string, refusal: string): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory() || readdirSync(path).some((name) => name !== INSIDE))
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

function moveContent(folder: string, path: string): void {
  const from = join(folder, basename(path));
  for (const name of readdirSync(from)) renameSync(join(from, name), join(path, name));
  syncPath(path);
}

function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function explained(error: unknown, folder: string, target: string): unknown {
  if (!(error instanceof Error)) return error;
  // Name the target: the temporary folder is gone when the message is read.
  if (error instanceof OperatorError)
    return new OperatorError(error.message.replaceAll(folder, target), { cause: error.cause });
  if (!isDiskFull(error)) return error;
  return new OperatorError(
    `${target}: the disk is full: nothing was kept; free some space, or give a folder on another disk, and run again`,
    { cause: error },
  );
}
