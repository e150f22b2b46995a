import { readFileSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import type { Environment } from "../../contract/enums.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { createFile, replaceFile } from "../../kernel/files/durable-file.ts";
import { EMPTY_ROOT } from "../../kernel/hash.ts";
import { formatTreeHead, parseTreeHead, type TreeHead } from "../../proof/tlog/note.ts";
import { acquireLock } from "../database/lock.ts";
import { type KeyRing, loadKeyRing, openTreeHead } from "../keys/key-ring.ts";
import type { NoteSigner } from "../keys/note.ts";
import { Frontier } from "./merkle.ts";

/** A signed tree head, with the tree's right edge at that size. */
export interface Checkpoint {
  readonly size: number;
  readonly note: string;
  readonly root: Buffer;
  readonly frontier: Buffer;
  readonly createdAt: number; // ms
  readonly keyId: string;
}

const COLUMNS = "size, note, root, frontier, created_at AS createdAt, key_id AS keyId";

/**
 * The table of signed tree heads. Each head is verified with the key that signs its size before it is returned. Keys are read after
 * heads, every time: another process may have rotated the key and signed with the new one.
 */
export class Checkpoints {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
  }

  keyRing(): KeyRing {
    return loadKeyRing(this.#database);
  }

  /** All, the smallest first. */
  list(): Checkpoint[] {
    const stored = this.#select("ORDER BY size").all();
    const ring = this.keyRing();
    return stored.map((checkpoint) => checked(checkpoint, ring));
  }

  at(size: number): Checkpoint | undefined {
    const stored = this.#select("WHERE size = ?").get(size);
    return stored && checked(stored, this.keyRing());
  }

  latest(): Checkpoint | undefined {
    const stored = this.#select("ORDER BY size DESC LIMIT 1").get();
    return stored && checked(stored, this.keyRing());
  }

  insert({ size, note, root, frontier, createdAt, keyId }: Checkpoint): void {
    this.#database
      .prepare(
        "INSERT INTO checkpoints (size, note, root, frontier, created_at, key_id) VALUES (?, ?, ?, ?, ?, ?)",
      )
      .run(size, note, root, frontier, createdAt, keyId);
  }

  #select(tail: string): Database.Statement<unknown[], Checkpoint> {
    return this.#database.prepare<unknown[], Checkpoint>(`SELECT ${COLUMNS} FROM checkpoints ${tail}`);
  }
}

function checked(checkpoint: Checkpoint, ring: KeyRing): Checkpoint {
  const problem = checkpointProblem(checkpoint, ring);
  if (problem === undefined) return checkpoint;
  throw new OperatorError(
    `checkpoint ${checkpoint.size}: ${problem}: the ledger was changed; restore it from your backup`,
  );
}

function checkpointProblem(checkpoint: Checkpoint, ring: KeyRing): string | undefined {
  try {
    const head = openTreeHead(checkpoint.note, ring);
    if (head.size !== checkpoint.size) return `the signed size is ${head.size}`;
    if (checkpoint.keyId !== ring.at(head.size).keyId) return "the key id is not the signer's";
    if (!checkpoint.root.equals(head.root)) return "the root is not the signed one";
    if (!Frontier.fromBytes(checkpoint.size, checkpoint.frontier).root().equals(checkpoint.root))
      return "the right edge of the tree does not have the signed root";
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * `keys/<environment>.head` holds the last tree head that was signed, apart from the ledger, so that a ledger restored from an
 * old backup is not continued into a second history under the same keys. Only this file writes it, and only forwards.
 */

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
