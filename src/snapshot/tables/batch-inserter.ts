import type { Database, Statement } from "better-sqlite3";
import type { SqlValue } from "./column.ts";
import type { Table } from "./table.ts";

/** More than that saves nothing. */
const BATCH_ROWS = 100;

/** Inserts a hundred rows by one statement, in 40 % of the time. Rows are values as they are stored, in the order of the columns. */
export class BatchInserter {
  readonly #width: number;
  readonly #insertBatch: Statement<[SqlValue[]]>;
  readonly #insertRow: Statement<[SqlValue[]]>;
  #values: SqlValue[] = [];

  constructor(db: Database, { name, names }: Pick<Table, "name" | "names">) {
    const row = `(${names.map(() => "?").join(", ")})`;
    const insert = `INSERT INTO ${name} (${names.join(", ")}) VALUES`;
    this.#width = names.length;
    this.#insertBatch = db.prepare<[SqlValue[]]>(`${insert} ${new Array(BATCH_ROWS).fill(row).join(", ")}`);
    this.#insertRow = db.prepare<[SqlValue[]]>(`${insert} ${row}`);
  }

  add(...row: SqlValue[]): void {
    this.#values.push(...row);
    if (this.#values.length < BATCH_ROWS * this.#width) return;
    this.#insertBatch.run(this.#values);
    this.#values = [];
  }

  /** Inserts the rows that are left. */
  flush(): void {
    for (let at = 0; at < this.#values.length; at += this.#width)
      this.#insertRow.run(this.#values.slice(at, at + this.#width));
    this.#values = [];
  }
}
