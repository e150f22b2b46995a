/** The tables of batches: each file that was ingested. Private as a whole: who came with whom is what the order of rows must not tell. */
import type Database from "better-sqlite3";
import type { ColumnMarks } from "../database/schema.ts";

/** The file of lines that an earlier version accepted, which kept no batches. */
const EARLIER_FILE = "(ingested before batches were kept)";

/** `id` is the number of the batch's name. Times are in ms. */
const BATCH_SQL = `
-- Counts are of lines. ended_at is null while the file is being read, and for a run that was cut off. new_names and new_cells count
-- the accepted lines whose name or cell no earlier night had. decision is null until the batch is judged; findings say why (JSON).
CREATE TABLE IF NOT EXISTS main.batches (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  read INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  looks INTEGER NOT NULL,
  known INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  rejected_by_reason TEXT NOT NULL,
  new_names INTEGER NOT NULL,
  new_cells INTEGER,
  decision TEXT CHECK (decision IN ('within', 'held_back', 'approved', 'undone')),
  decided_at INTEGER,
  findings TEXT NOT NULL
) STRICT;

-- The accepted lines of a batch by source (built-in and the source type where none is named) and UTC day of acceptance.
CREATE TABLE IF NOT EXISTS main.batch_lines (
  batch INTEGER NOT NULL,
  source TEXT NOT NULL,
  day INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  PRIMARY KEY (batch, source, day)
) STRICT, WITHOUT ROWID;

-- The observations that the lines of a batch have become.
CREATE TABLE IF NOT EXISTS main.batch_rows (
  row INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL
) STRICT;
`;

export const BATCH_COLUMNS = {
  batches: {
    id: "private",
    file: "private",
    started_at: "private",
    ended_at: "private",
    read: "private",
    accepted: "private",
    looks: "private",
    known: "private",
    rejected: "private",
    rejected_by_reason: "private",
    new_names: "private",
    new_cells: "private",
    decision: "private",
    decided_at: "private",
    findings: "private",
  },
  batch_lines: { batch: "private", source: "private", day: "private", lines: "private" },
  batch_rows: { row: "private", batch: "private" },
} as const satisfies ColumnMarks;

/** Creates the tables where they are missing, with the batches of lines that are pending. */
export function createBatchTables(database: Database.Database): void {
  if (hasBatchTables(database)) return;
  database
    .transaction(() => {
      database.exec(BATCH_SQL);
      database
        .prepare<[string]>(
          `INSERT INTO batches SELECT CAST(substr(batch, 2) AS INTEGER), ?, min(day), max(day), count(*), count(*),
             0, 0, 0, '{}', 0, NULL, NULL, NULL, '[]' FROM pending GROUP BY batch`,
        )
        .run(EARLIER_FILE);
      database.exec(
        `INSERT INTO batch_lines SELECT CAST(substr(batch, 2) AS INTEGER),
           coalesce(nullif(trim(input ->> '$.source'), ''), 'built-in ' || source), day, count(*) FROM pending GROUP BY 1, 2, 3`,
      );
    })
    .immediate();
}

/** False for a ledger that only earlier versions have written to. */
export function hasBatchTables(database: Database.Database): boolean {
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'batch_rows'";
  return database.prepare(table).get() !== undefined;
}
