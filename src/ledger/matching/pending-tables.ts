/** The table of accepted lines that have no row yet. Private as a whole: it holds lines as their sources sent them. */
import type Database from "better-sqlite3";
import { DAY_MS } from "../../kernel/time.ts";
import type { ColumnMarks } from "../database/schema.ts";

/**
 * `waiting`: goes to the ledger when its day is taken in. `held`: waits for a reviewer, `reason` says why. `admitted`: a reviewer
 * accepted it with `review` (JSON); `day` is then the day of the decision. `held_back`: its batch is outside the bounds, and waits
 * for the operator.
 */
const PENDING_SQL = `
-- The states as comparisons: SQLite makes a table of a list of more than two for each inserted line.
CREATE TABLE IF NOT EXISTS main.pending (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  batch TEXT NOT NULL,
  line INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'held' OR state = 'admitted' OR state = 'held_back'),
  day INTEGER NOT NULL,
  key BLOB NOT NULL,
  reason TEXT,
  review TEXT,
  input TEXT NOT NULL
) STRICT;

-- The lines of a day, in the order of their acceptance: see PendingOrder for the order in which they are taken in.
DROP INDEX IF EXISTS main.pending_in_order;
CREATE INDEX IF NOT EXISTS main.pending_by_day ON pending (day, state)
  WHERE state <> 'held' AND state <> 'held_back';

-- The lines that reviewers decide about: few.
CREATE INDEX IF NOT EXISTS main.pending_reviewed ON pending (key)
  WHERE state <> 'waiting' AND state <> 'held_back';

-- What the lines of a batch wait for.
CREATE INDEX IF NOT EXISTS main.pending_of_batch ON pending (batch, state);

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
      const before = definition(database, "pending");
      if (before !== undefined && !before.includes("state = 'held_back'")) renew(database);
      else database.exec(PENDING_SQL);
      if (definition(database, "held") !== undefined) moveHeld(database);
    })
    .immediate();
}

/** The SQL of a table; undefined without one. */
function definition(database: Database.Database, table: string): string | undefined {
  return database
    .prepare<[string], string>("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
    .pluck()
    .get(table);
}

/** Lines that an earlier version accepted: its table checks states slowly, or refuses that of batches that are held back. */
function renew(database: Database.Database): void {
  database.exec(`DROP INDEX IF EXISTS main.pending_in_order; DROP INDEX IF EXISTS main.pending_reviewed;
    DROP INDEX IF EXISTS main.pending_by_day; DROP INDEX IF EXISTS main.pending_of_batch;
    ALTER TABLE main.pending RENAME TO pending_before;
    ${PENDING_SQL}
    INSERT INTO pending SELECT * FROM pending_before;
    DROP TABLE pending_before;`);
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
