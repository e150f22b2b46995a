/**
 * `keys/<environment>.head` holds the last tree head that was signed, apart from the ledger, so that a ledger restored from an
 * old backup is not continued into a second history under the same keys. Only this file writes it, and only forwards.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../contract/enums.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { createFile, replaceFile } from "../kernel/files/durable-file.ts";
import { EMPTY_ROOT } from "../kernel/merkle-hash.ts";
import { formatTreeHead, parseTreeHead, type TreeHead } from "../proof/tlog/note.ts";
import { acquireLock } from "./database/lock.ts";
import { openTreeHead } from "./keys/key-ring.ts";
import type { NoteSigner } from "./keys/note.ts";
import type { Checkpoints } from "./tree/checkpoints.ts";

export interface HeadGuard {
  readonly keysDir: string;
  readonly environment: Environment;
  readonly checkpoints: Checkpoints;
}

const HEAD_MODE = 0o644;

export function headPath(keysDir: string, environment: Environment): string {
  return join(keysDir, `${environment}.head`);
}

/** For a new ledger: signs the empty tree, or refuses keys that have signed a longer one. */
export function createHead(keysDir: string, environment: Environment, signer: NoteSigner): void {
  const path = headPath(keysDir, environment);
  const note = signer.sign(formatTreeHead({ origin: signer.name, size: 0, root: EMPTY_ROOT }));
  try {
    createFile(path, note, HEAD_MODE);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    const { size } = readHead(path, parseTreeHead); // by whichever key: no signature is needed to refuse
    if (size > 0)
      throw new OperatorError(
        `${path}: these keys have already signed a ledger of ${size} rows: restore that ledger, or move the keys away to begin a new log`,
      );
    replaceFile(path, note, HEAD_MODE); // an empty head may be that of a key before this one
  }
}

/** Throws OperatorError unless the ledger holds the last head that was signed. Call it before signing. */
export function assertHoldsHead({ keysDir, environment, checkpoints }: HeadGuard): TreeHead {
  const path = headPath(keysDir, environment);
  const head = readHead(path, (note) => openTreeHead(note, checkpoints.keyRing()));
  if (head.size === 0 || checkpoints.at(head.size)?.root.equals(head.root)) return head;
  const newest = checkpoints.latest()?.size ?? 0;
  throw new OperatorError(
    `${path}: a head of ${head.size} rows was signed, which this ledger does not hold (its newest has ${newest}): ` +
      "it is an older or another copy; restore the ledger that belongs to this head",
  );
}

/**
 * Moves the head on to the ledger's newest checkpoint: after signing, and again before anything is published.
 * Compare-and-swap under a lock of its own; doing it twice changes nothing.
 */
export function advanceHead(guard: HeadGuard): void {
  const path = headPath(guard.keysDir, guard.environment);
  const lock = acquireLock(`${path}.lock`, `updating ${path}`, 10_000);
  try {
    const head = assertHoldsHead(guard);
    const newest = guard.checkpoints.latest();
    if (newest !== undefined && newest.size > head.size) replaceFile(path, newest.note, HEAD_MODE);
  } finally {
    lock.release();
  }
}

function readHead(path: string, open: (note: string) => TreeHead): TreeHead {
  try {
    return open(readFileSync(path, "utf8"));
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(
      `${path}: the last signed tree head is missing or damaged: restore it from your backup, or copy the last published checkpoint there`,
      { cause },
    );
  }
}
