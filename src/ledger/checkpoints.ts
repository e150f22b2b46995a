import type Database from "better-sqlite3";
import { OperatorError } from "../kernel/errors.ts";
import { parseTreeHead } from "./checkpoint-text.ts";
import { Frontier } from "./merkle.ts";
import { type NoteVerifier, openNote } from "./note.ts";

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

/** The table of signed tree heads. Whatever leaves it has been checked against the ledger's verification key. */
export class Checkpoints {
  readonly #database: Database.Database;
  readonly #verifier: NoteVerifier;

  constructor(database: Database.Database, verifier: NoteVerifier) {
    this.#database = database;
    this.#verifier = verifier;
  }

  /** All, the smallest first. */
  list(): Checkpoint[] {
    return this.#select("ORDER BY size")
      .all()
      .map((found) => this.#checked(found));
  }

  at(size: number): Checkpoint | undefined {
    const found = this.#select("WHERE size = ?").get(size);
    return found && this.#checked(found);
  }

  latest(): Checkpoint | undefined {
    const found = this.#select("ORDER BY size DESC LIMIT 1").get();
    return found && this.#checked(found);
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

  #checked(checkpoint: Checkpoint): Checkpoint {
    const problem = checkpointProblem(checkpoint, this.#verifier);
    if (problem === undefined) return checkpoint;
    throw new OperatorError(
      `checkpoint ${checkpoint.size}: ${problem}: the ledger was changed; restore it from your backup`,
    );
  }
}

function checkpointProblem(checkpoint: Checkpoint, verifier: NoteVerifier): string | undefined {
  try {
    const head = parseTreeHead(openNote(checkpoint.note, verifier));
    if (head.origin !== verifier.name) return `signed for ${head.origin}, not for ${verifier.name}`;
    if (head.size !== checkpoint.size) return `the signed size is ${head.size}`;
    if (!head.root.equals(checkpoint.root)) return "the root is not the signed one";
    if (!Frontier.fromBytes(checkpoint.size, checkpoint.frontier).root().equals(checkpoint.root))
      return "the right edge of the tree does not have the signed root";
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
