import type Database from "better-sqlite3";
import { Sql } from "../../kernel/sql.ts";
import { inserter, type Selected, selection } from "../../kernel/table.ts";
import { inboxFiles, sourceMaps } from "../database/tables.ts";

const MAP = selection(sourceMaps.columns);
const FILE = selection(inboxFiles.columns);

/** How the files of a source are read: the text of its column map, if any, and their encoding; null: UTF-8. */
export type SourceMap = Selected<typeof MAP>;
/** A file of the inbox that was taken, and what became of it. */
export type InboxFile = Selected<typeof FILE>;
export type InboxResult = Pick<InboxFile, "outcome" | "reason" | "counts" | "rejected">;

/** Column maps of sources, and what became of their files. Writes go into a transaction of the ledger's writer. */
export class InboxStore {
  readonly #database: Database.Database;
  readonly #sql: Sql;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#sql = new Sql(database);
  }

  mapOf(source: string): SourceMap | undefined {
    return MAP.prepare<[string]>(this.#database, "FROM source_maps WHERE source = ?").get(source);
  }

  putMap(map: SourceMap): void {
    this.removeMap(map.source);
    inserter(this.#database, sourceMaps)(map);
  }

  removeMap(source: string): void {
    this.#sql.run("DELETE FROM source_maps WHERE source = ?", source);
  }

  /** The newest first. */
  files(source: string | undefined, limit: number): InboxFile[] {
    const rest = "FROM inbox_files WHERE ? IS NULL OR source = ? ORDER BY id DESC LIMIT ?";
    const of = source ?? null;
    return FILE.prepare<[string | null, string | null, number]>(this.#database, rest).all(of, of, limit);
  }

  file(id: number): InboxFile | undefined {
    return FILE.prepare<[number]>(this.#database, "FROM inbox_files WHERE id = ?").get(id);
  }

  /** The newest file of a source with this content; one that was accepted before others. */
  withContent({ source, content }: Pick<InboxFile, "source" | "content">): InboxFile | undefined {
    const rest =
      "FROM inbox_files WHERE source = ? AND content = ? ORDER BY outcome = 'accepted' DESC, id DESC LIMIT 1";
    return FILE.prepare<[string, Uint8Array]>(this.#database, rest).get(source, content);
  }

  add(file: InboxFile): void {
    inserter(this.#database, inboxFiles)(file);
  }

  remove(id: number): void {
    this.#sql.run("DELETE FROM inbox_files WHERE id = ?", id);
  }

  nextId(): number {
    return this.#sql.value<number>("SELECT coalesce(max(id), 0) + 1 FROM inbox_files") ?? 1;
  }

  /** A run that goes on with a file keeps the batch of the first. */
  putBatch(id: number, batch: string): void {
    this.#sql.run("UPDATE inbox_files SET batch = coalesce(batch, ?) WHERE id = ?", batch, id);
  }

  end(id: number, { outcome, reason, counts, rejected }: InboxResult): void {
    this.#sql.run(
      "UPDATE inbox_files SET outcome = ?, reason = ?, counts = ?, rejected = ? WHERE id = ?",
      ...[outcome, reason, encoded(counts), encoded(rejected), id],
    );
  }

  /** It no longer lies in the inbox. */
  noteRemoved(id: number): void {
    this.#sql.run("UPDATE inbox_files SET is_removed = 1 WHERE id = ?", id);
  }

  /** Forgets files that were taken before a time (ms). */
  forgetBefore(time: number): void {
    this.#sql.run("DELETE FROM inbox_files WHERE taken_at < ?", time);
  }
}

function encoded(counts: InboxFile["counts"]): string | null {
  return counts === null ? null : JSON.stringify(counts);
}
