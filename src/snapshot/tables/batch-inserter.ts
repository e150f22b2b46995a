import type { Database, Statement } from "better-sqlite3";
import { type SqlValue, storedInserter, type Table } from "../../kernel/table.ts";

/** More than that saves nothing. */
const BATCH_ROWS = 100;

/** Inserts a hundred rows by one statement, in 40 % of the time. Rows are values as they are stored, in the order of the columns. */
export class BatchInserter {
  readonly #width: number;
  readonly #insertBatch: Statement<[SqlValue[]]>;
  readonly #insertRow: (row: readonly SqlValue[]) => void;
  #values: SqlValue[] = [];

  constructor(db: Database, { name, names }: Pick<Table, "name" | "names">) {
    const row = `(${names.map(() => "?").join(", ")})`;
    const rows = Array.from({ length: BATCH_ROWS }, () => row).join(", ");
    this.#width = names.length;
    this.#insertBatch = db.prepare<[SqlValue[]]>(`INSERT INTO ${name} (${names.join(", ")}) VALUES ${rows}`);
    this.#insertRow = storedInserter(db, { name, names });
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
      this.#insertRow(this.#values.slice(at, at + this.#width));
    this.#values = [];
  }
}
