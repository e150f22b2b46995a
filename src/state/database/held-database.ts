import { realpathSync, statSync, truncateSync } from "node:fs";
import type Database from "better-sqlite3";
import { SECOND_MS } from "../../kernel/time.ts";
import { damageOf, headerVersion, StateLost } from "./database-file.ts";

/** How often an idle connection looks at its files. */
const LOOK_MS = SECOND_MS;
/** For how long changes may lie in the write-ahead log alone. */
const CHECKPOINT_MS = 30 * SECOND_MS;
/** How long the rescue of a log waits for readers. */
const RESCUE_MS = 2 * SECOND_MS;

const SIDE_FILES = ["-wal", "-shm"];
const OVERWRITTEN = "was overwritten with another copy";

interface FileId {
  readonly id: string; // device and inode
  readonly changedAt: bigint;
}

/**
 * A connection to `state.db`, and whether the files of that name are still the ones that it opened. When they are not, what it would
 * write, nobody would find: it saves what can be saved, closes, and refuses everything from then on.
 */
export class HeldDatabase {
  readonly #database: Database.Database;
  readonly #path: string;
  readonly #real: string; // beside which SQLite keeps its other files
  readonly #generation: number;
  readonly #opened: ReadonlyMap<string, string | undefined>;
  readonly #timer: NodeJS.Timeout;
  #inFile: number | undefined;
  #changedAt: bigint | undefined;
  #checkpointedAt = performance.now();
  #loss: StateLost | undefined;

  /** `generation`: the `user_version` of the database, which a restore changes. */
  constructor(database: Database.Database, path: string, generation: number) {
    this.#database = database;
    this.#path = path;
    this.#real = realpathSync(path);
    this.#generation = generation;
    this.#opened = new Map(["", ...SIDE_FILES].map((ending) => [ending, this.#fileAt(ending)?.id]));
    this.#inFile = headerVersion(path, this.#opened.get("") ?? "");
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Why the connection was given up; undefined while it is good. */
  get loss(): StateLost | undefined {
    return this.#loss;
  }

  get isInTransaction(): boolean {
    return this.#loss === undefined && this.#database.inTransaction;
  }

  /** Throws StateLost when the files are not the ones that were opened. */
  assertHeld(): void {
    const how = this.#loss === undefined ? this.#change() : undefined;
    if (how !== undefined) this.#lose(how);
    if (this.#loss !== undefined) throw this.#loss;
  }

  /** Gives the connection up when the error says that the file is damaged; returns the error to throw. */
  translated(error: unknown): unknown {
    if (this.#loss !== undefined) return this.#loss;
    const damage = damageOf(error, this.#path);
    if (damage !== undefined) this.#close(damage);
    return damage ?? error;
  }

  /** Checks the files, and at times moves the log into the database. */
  look(): void {
    const how = this.#change();
    if (how !== undefined) this.#lose(how);
    else if (performance.now() - this.#checkpointedAt > CHECKPOINT_MS) this.#checkpoint();
  }

  close(): void {
    if (this.#loss === undefined) this.look();
    clearInterval(this.#timer);
    this.#database.close();
  }

  #checkpoint(): void {
    if (this.#database.inTransaction) return;
    this.#checkpointedAt = performance.now();
    try {
      this.#database.pragma("wal_checkpoint(TRUNCATE)"); // with `busy_timeout = 0` it waits for nobody
    } catch (error) {
      this.translated(error);
    }
  }

  /** What happened to the files; undefined when nothing did. */
  #change(): string | undefined {
    const file = this.#fileAt("");
    if (file === undefined) return "was removed";
    if (file.id !== this.#opened.get("")) return "was replaced by another file";
    if (this.#isOverwritten(file))
      return this.#inFile === undefined ? "was overwritten with something else" : OVERWRITTEN;
    const [changed] = SIDE_FILES.filter((ending) => this.#fileAt(ending)?.id !== this.#opened.get(ending));
    return changed && `lost its ${changed} file, which was removed or replaced`;
  }

  /** The file itself tells its generation, and only after it was written: a new one is still in the log. */
  #isOverwritten({ id, changedAt }: FileId): boolean {
    if (changedAt === this.#changedAt) return false;
    this.#changedAt = changedAt;
    const before = this.#inFile;
    this.#inFile = headerVersion(this.#path, id);
    return this.#inFile !== this.#generation && this.#inFile !== before;
  }

  /** Undefined also when this user may not look any more: then it is as good as gone. */
  #fileAt(ending: string): FileId | undefined {
    const path = ending === "" ? this.#path : this.#real + ending;
    try {
      const { dev, ino, ctimeNs } = statSync(path, { bigint: true });
      return { id: `${dev}:${ino}`, changedAt: ctimeNs };
    } catch {
      return undefined;
    }
  }

  #lose(how: string): void {
    try {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      this.#saveLog(how);
    } catch {
      // what cannot be saved is lost with the files
    }
    this.#close(
      new StateLost(
        `${this.#path} ${how} while it was in use: what was being written may be lost; stop the server and every worker before you touch these files`,
      ),
    );
  }

  /**
   * A log that was only unlinked is still open here, and goes into the database. One that lies beside a database of another
   * generation is emptied, because SQLite would otherwise write it over that database when the connection closes.
   */
  #saveLog(how: string): void {
    const log = this.#fileAt("-wal");
    if (how === OVERWRITTEN) {
      if (log?.id === this.#opened.get("-wal")) truncateSync(`${this.#real}-wal`);
      return;
    }
    if (log !== undefined || this.#fileAt("")?.id !== this.#opened.get("")) return;
    this.#database.pragma(`busy_timeout = ${RESCUE_MS}`);
    this.#database.pragma("wal_checkpoint(TRUNCATE)");
  }

  #close(loss: StateLost): void {
    this.#loss = loss;
    clearInterval(this.#timer);
    this.#database.close();
  }
}
