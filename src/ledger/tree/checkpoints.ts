import type Database from "better-sqlite3";
import { OperatorError } from "../../kernel/errors.ts";
import { type KeyRing, openTreeHead } from "../keys/key-ring.ts";
import { loadKeyRing } from "../keys/key-tables.ts";
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
