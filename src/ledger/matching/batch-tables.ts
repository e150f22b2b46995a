/** The tables of batches: each file that was ingested. Private as a whole: who came with whom is what the order of rows must not tell. */
import type { ColumnMarks } from "../database/schema.ts";

/** `id` is the number of the batch's name. Times are in ms. */
export const BATCH_SQL = `
-- Counts are of lines. ended_at is null while the file is being read, and for a run that was cut off. new_names and new_cells count
-- the accepted lines whose name or cell no earlier night had. decision is null until the batch is judged; findings say why (JSON).
CREATE TABLE batches (
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
CREATE TABLE batch_lines (
  batch INTEGER NOT NULL,
  source TEXT NOT NULL,
  day INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  PRIMARY KEY (batch, source, day)
) STRICT, WITHOUT ROWID;

-- The observations that the lines of a batch have become.
CREATE TABLE batch_rows (
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
