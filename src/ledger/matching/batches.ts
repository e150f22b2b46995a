import type Database from "better-sqlite3";
import { AMONG, Sql } from "../../kernel/sql.ts";
import { type Selected, selection, text } from "../../kernel/table.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { batches } from "../database/tables.ts";
import { PendingLines } from "./pending-lines.ts";
import { REF_TABLES } from "./source-refs.ts";

const BATCH = selection({ name: text().as("'b' || batches.id"), ...batches.columns }, "id");

/** A file that was ingested. */
export type Batch = Selected<typeof BATCH>;
/** What was decided about a batch: by its bounds, or by the operator. */
export type BatchDecision = NonNullable<Batch["decision"]>;
/** Counts of lines by outcome, as intake counts them. */
export type BatchCounts = Pick<
  Batch,
  "read" | "accepted" | "looks" | "known" | "rejected" | "rejectedByReason" | "newNames" | "newCells"
>;

/** Accepted lines, and those of them with names, and in cells, that no night before had in their city. */
export interface LineCounts {
  readonly lines: number;
  readonly newNames: number;
  readonly newCells: number;
}

/** What a source sent for a city (a slug). A line without a source is of the built-in one of its type. */
export interface Delivery extends LineCounts {
  readonly source: string;
  readonly city: string;
}

/** The part of a delivery that came on a UTC day (ms) in a batch. */
export interface BatchLines extends Delivery {
  readonly batch: string;
  readonly day: number;
}

/** A delivery with which a source began for a city, on a UTC day (ms). */
export interface FirstDelivery {
  readonly source: string;
  readonly city: string;
  readonly day: number;
}

/** Lines of a batch that have no row, by what they wait for; and the live rows of those that have one. */
export interface BatchLeft {
  readonly waiting: number;
  readonly held: number; // for a reviewer
  readonly heldBack: number;
  readonly rows: number;
}

/** The number of a batch's name. */
function idOf(name: string): number {
  return Number(name.slice(1));
}

/** Batches and their lines. Writes go into a transaction of the ledger's writer; a reader only reads. */
export class Batches {
  readonly #database: Database.Database;
  readonly #sql: Sql;
  readonly #pending: PendingLines;

  constructor(database: Database.Database, pending = new PendingLines(database)) {
    this.#database = database;
    this.#sql = new Sql(database);
    this.#pending = pending;
  }

  find(name: string): Batch | undefined {
    return BATCH.prepare<[number]>(this.#database, "FROM batches WHERE id = ?").get(idOf(name));
  }

  /** How many are kept. */
  total(): number {
    return this.#sql.value("SELECT count(*) FROM batches") ?? 0;
  }

  /** The newest first. */
  list(limit: number): Batch[] {
    return BATCH.prepare<[number]>(this.#database, "FROM batches ORDER BY id DESC LIMIT ?").all(limit);
  }

  /** Those that began at a time (ms) or later, in order. */
  startedFrom(time: number): Batch[] {
    return BATCH.prepare<[number]>(this.#database, "FROM batches WHERE started_at >= ? ORDER BY id").all(
      time,
    );
  }

  linesOf(names: readonly string[]): BatchLines[] {
    return this.#sql.all(
      `SELECT 'b' || batch AS batch, source, city, day, lines, new_names AS newNames, new_cells AS newCells
       FROM batch_lines WHERE batch ${AMONG} ORDER BY batch_lines.batch, source, city, day`,
      names.map(idOf),
    );
  }

  /** What a source sent for a city on each UTC day (ms) of a span, as far as it was within the bounds; the last day first. */
  within({ source, city }: Pick<Delivery, "source" | "city">, from: number, to: number): LineCounts[] {
    return this.#sql.all(
      `SELECT sum(lines) AS lines, sum(new_names) AS newNames, sum(new_cells) AS newCells FROM batch_lines
       WHERE source = ? AND city = ? AND day >= ? AND day <= ?
         AND (SELECT decision FROM batches WHERE id = batch) = 'within'
       GROUP BY day ORDER BY day DESC`,
      ...[source, city, from, to],
    );
  }

  /** Some names of a batch's lines that have no row yet, in the order of a keyed hash. */
  sampleNames(name: string, limit: number): string[] {
    return this.#sql.column(
      `SELECT input ->> 'name' FROM pending WHERE batch = ? GROUP BY 1 ORDER BY min(key) LIMIT ?`,
      ...[name, limit],
    );
  }

  /** With which deliveries the sources began that are known to the brake. */
  firstDeliveries(): FirstDelivery[] {
    return this.#sql.all("SELECT source, city, day FROM first_deliveries ORDER BY source, city");
  }

  /** A batch was let in: its sources have begun to deliver for its cities. */
  noteDeliveries(name: string): void {
    this.#sql.run(
      `INSERT OR IGNORE INTO first_deliveries
       SELECT source, city, batch, min(day) FROM batch_lines WHERE batch = ? GROUP BY source, city`,
      idOf(name),
    );
  }

  /** A batch was taken back: the next delivery of a source that began with it is the first again. */
  forgetDeliveries(name: string): void {
    this.#sql.run("DELETE FROM first_deliveries WHERE batch = ?", idOf(name));
  }

  /** What the lines of a batch wait for, and how many observations they have become. */
  left(name: string): BatchLeft {
    const states = this.#sql.all<{ state: string; lines: number }>(
      "SELECT state, count(*) AS lines FROM pending WHERE batch = ? GROUP BY state",
      name,
    );
    const lines = new Map(states.map((each) => [each.state, each.lines]));
    return {
      waiting: (lines.get("waiting") ?? 0) + (lines.get("admitted") ?? 0),
      held: lines.get("held") ?? 0,
      heldBack: lines.get("held_back") ?? 0,
      rows: this.#sql.value("SELECT count(*) FROM batch_rows WHERE batch = ?", idOf(name)) ?? 0,
    };
  }

  begin(name: string, file: string, at: number): void {
    this.#sql.run(
      "INSERT INTO batches VALUES (?, ?, ?, NULL, 0, 0, 0, 0, 0, '{}', 0, 0, NULL, NULL, '[]')",
      ...[idOf(name), file, at],
    );
  }

  /** The totals so far, and what came since the last call, on a UTC day (ms). */
  count(name: string, counts: BatchCounts, added: Iterable<Delivery>, day: number): void {
    const { read, accepted, looks, known, rejected, rejectedByReason, newNames, newCells } = counts;
    this.#sql.run(
      `UPDATE batches SET read = ?, accepted = ?, looks = ?, known = ?, rejected = ?, rejected_by_reason = ?,
         new_names = ?, new_cells = ? WHERE id = ?`,
      ...[read, accepted, looks, known, rejected, JSON.stringify(rejectedByReason), newNames, newCells],
      idOf(name),
    );
    for (const { source, city, ...each } of added)
      this.#sql.run(
        `INSERT INTO batch_lines VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET lines = lines + excluded.lines,
           new_names = new_names + excluded.new_names, new_cells = new_cells + excluded.new_cells`,
        ...[idOf(name), source, city, day, each.lines, each.newNames, each.newCells],
      );
  }

  /** The end of a file, which is that of earlier runs over it, too. */
  end(file: string, at: number): void {
    this.#sql.run("UPDATE batches SET ended_at = ? WHERE file = ? AND ended_at IS NULL", at, file);
  }

  /** Whether an earlier run over a file was cut off. */
  isUnfinished(file: string): boolean {
    return this.#sql.value("SELECT 1 FROM batches WHERE file = ? AND ended_at IS NULL", file) === 1;
  }

  /** Batches with lines to take in up to a UTC day (ms) that are not judged yet, the earliest first. */
  unjudged(upTo: number): Batch[] {
    return BATCH.prepare<[number]>(
      this.#database,
      "FROM batches WHERE decision IS NULL AND id IN (SELECT batch FROM batch_lines WHERE day <= ?) ORDER BY id",
    ).all(upTo);
  }

  /** The names of those that wait for the operator. */
  heldBack(): string[] {
    return this.#sql.column("SELECT 'b' || id FROM batches WHERE decision = 'held_back' ORDER BY id");
  }

  /** The observations that lines of a batch have become. */
  addRows(rows: readonly number[], name: string): void {
    this.#sql.run("INSERT INTO batch_rows SELECT value, ? FROM json_each(?)", idOf(name), rows);
  }

  /** The batch whose line became a row; undefined for a row that no kept batch has. */
  batchOf(row: number): Batch | undefined {
    const name = this.#sql.value<string>("SELECT 'b' || batch FROM batch_rows WHERE row = ?", row);
    return name === undefined ? undefined : this.find(name);
  }

  /** Of its lines without a row, whatever they wait for. */
  lineIds(name: string): number[] {
    return this.#sql.column("SELECT id FROM pending WHERE batch = ? ORDER BY id", name);
  }

  /** In order. */
  rowsOf(name: string): number[] {
    return this.#sql.column("SELECT row FROM batch_rows WHERE batch = ? ORDER BY row", idOf(name));
  }

  decide(name: string, decision: BatchDecision, at: number, findings?: readonly string[]): void {
    this.#sql.run(
      "UPDATE batches SET decision = ?, decided_at = ?, findings = coalesce(?, findings) WHERE id = ?",
      ...[decision, at, findings ?? null, idOf(name)],
    );
  }

  /** The lines of a batch that are to be taken in wait for the operator from now on (ms); those of reviewers stay theirs. */
  holdBack(name: string, at: number): void {
    this.#pending.note(
      at,
      -this.#sql.run("UPDATE pending SET state = 'held_back' WHERE batch = ? AND state = 'waiting'", name),
    );
  }

  /** The lines of a batch that was held back are to be taken in after all, as lines of the UTC day of that time (ms). */
  letGo(name: string, at: number): void {
    const text = "UPDATE pending SET state = 'waiting', day = ? WHERE batch = ? AND state = 'held_back'";
    this.#pending.note(at, this.#sql.run(text, utcDayStart(at), name));
  }

  /** Deletes all lines of a batch, and that they were ever accepted: the same lines may come again. Returns how many. */
  takeBack(name: string, at: number): number {
    const { waiting } = this.left(name);
    for (const table of REF_TABLES)
      this.#sql.run(
        `DELETE FROM ${table} WHERE row IS NULL AND key IN (SELECT key FROM pending WHERE batch = ?)`,
        name,
      );
    const changes = this.#sql.run("DELETE FROM pending WHERE batch = ?", name);
    this.#pending.note(at, -waiting);
    return changes;
  }

  /** Forgets batches that were decided before a time (ms), and which rows came with them. */
  forgetBefore(time: number): void {
    const old = `(SELECT id FROM batches WHERE max(started_at, coalesce(decided_at, 0)) < ?
      AND NOT EXISTS (SELECT 1 FROM pending WHERE batch = 'b' || batches.id))`;
    for (const table of ["batch_rows", "batch_lines"])
      this.#sql.run(`DELETE FROM ${table} WHERE batch IN ${old}`, time);
    this.#sql.run(`DELETE FROM batches WHERE id IN ${old}`, time);
  }

  /** The last UTC day (ms) on which lines of each source were accepted, as far as batches are kept. */
  lastIntake(): LastIntake {
    const days = this.#sql.all<{ source: string; day: number }>(
      "SELECT source, max(day) AS day FROM batch_lines GROUP BY source",
    );
    const since = this.#sql.value<number | null>("SELECT min(started_at) FROM batches");
    return { since: since ?? null, days: new Map(days.map(({ source, day }) => [source, day])) };
  }
}

export interface LastIntake {
  readonly since: number | null; // when the first batch began, ms; null without batches
  readonly days: ReadonlyMap<string, number>;
}
