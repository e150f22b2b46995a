/** The table of accepted lines that have no row yet. Private as a whole: it holds lines as their sources sent them. */
import type Database from "better-sqlite3";
import { DAY_MS } from "../../kernel/time.ts";
import type { ColumnMarks } from "../database/schema.ts";

/**
 * `waiting`: goes to the ledger when its day is taken in. `held`: waits for a reviewer, `reason` says why. `admitted`: a reviewer
 * accepted it with `review` (JSON); `day` is then the day of the decision.
 */
const PENDING_SQL = `
CREATE TABLE IF NOT EXISTS main.pending (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  batch TEXT NOT NULL,
  line INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'admitted')),
  day INTEGER NOT NULL,
  key BLOB NOT NULL,
  reason TEXT,
  review TEXT,
  input TEXT NOT NULL
) STRICT;

-- A day's lines in the order in which they are taken in. The inputs stay where they are.
CREATE INDEX IF NOT EXISTS main.pending_in_order ON pending (day, key) WHERE state <> 'held';

-- The lines that reviewers decide about: few.
CREATE INDEX IF NOT EXISTS main.pending_reviewed ON pending (key) WHERE state <> 'waiting';

-- How many lines waited from each moment on, so that a release can be built again: first_row is the first row that
-- lines became then, which may be dated earlier.
CREATE TABLE IF NOT EXISTS main.pending_log (
  at INTEGER PRIMARY KEY,
  waiting INTEGER NOT NULL,
  first_row INTEGER
) STRICT;

-- How many batches have been named: a name is never given out twice.
CREATE TABLE IF NOT EXISTS main.intake_batches (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last INTEGER NOT NULL
) STRICT;
`;

export const PENDING_COLUMNS = {
  pending: {
    id: "private",
    source: "private",
    batch: "private",
    line: "private",
    state: "private",
    day: "private",
    key: "private",
    reason: "private",
    review: "private",
    input: "private",
  },
  pending_log: { at: "private", waiting: "private", first_row: "private" },
  intake_batches: { id: "private", last: "private" },
} as const satisfies ColumnMarks;

/** The batch of lines that were held by a version without pending lines. */
const EARLIER_BATCH = "b0";

/** Creates the tables where they are missing, and moves the lines that an earlier version held into them. */
export function createPendingTables(database: Database.Database): void {
  database
    .transaction(() => {
      database.exec(PENDING_SQL);
      const hasHeld = database
        .prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'held'")
        .get();
      if (hasHeld !== undefined) moveHeld(database);
    })
    .immediate();
}

function moveHeld(database: Database.Database): void {
  database
    .prepare<[string, number]>(
      `INSERT INTO pending (source, batch, line, state, day, key, reason, input)
       SELECT input ->> '$.source_type', ?, row_number() OVER (ORDER BY held_at, key), 'held',
         held_at - held_at % ?, key, reason, input FROM main.held`,
    )
    .run(EARLIER_BATCH, DAY_MS);
  database.exec("DROP TABLE main.held");
}
