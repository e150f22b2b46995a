/** The table of accepted lines that have no row yet. Private as a whole: it holds lines as their sources sent them. */
import type { ColumnMarks } from "../database/schema.ts";

/**
 * `waiting`: goes to the ledger when its day is taken in. `held`: waits for a reviewer, `reason` says why. `admitted`: a reviewer
 * accepted it with `review` (JSON); `day` is then the day of the decision. `held_back`: its batch is outside the bounds, and waits
 * for the operator.
 */
export const PENDING_SQL = `
-- The states as comparisons: SQLite makes a table of a list of more than two for each inserted line.
CREATE TABLE pending (
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
CREATE INDEX pending_by_day ON pending (day, state)
  WHERE state <> 'held' AND state <> 'held_back';

-- The lines that reviewers decide about: few.
CREATE INDEX pending_reviewed ON pending (key)
  WHERE state <> 'waiting' AND state <> 'held_back';

-- What the lines of a batch wait for.
CREATE INDEX pending_of_batch ON pending (batch, state);

-- How many lines waited from each moment on, so that a release can be built again: first_row is the first row that
-- lines became then, which may be dated earlier.
CREATE TABLE pending_log (
  at INTEGER PRIMARY KEY,
  waiting INTEGER NOT NULL,
  first_row INTEGER
) STRICT;

-- How many batches have been named: a name is never given out twice.
CREATE TABLE intake_batches (
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
