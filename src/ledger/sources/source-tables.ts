/**
 * The tables of sources and of their observers in ledger.db. Private as a whole: a source's public part is its rows. Observers and
 * principals are keyed hashes.
 */
import type { ColumnMarks } from "../database/schema.ts";

const TABLES = {
  // Derived from the rows of kind `source`, and what the operator keeps private of them.
  sources: `id TEXT PRIMARY KEY, row INTEGER NOT NULL, operator TEXT NOT NULL, kind TEXT NOT NULL, vetting TEXT NOT NULL,
    asset_types TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('active', 'suspended', 'withdrawn'))`,
  // What the operator said of an observer; others are principals of their own. `source` is the one in which it was named first.
  observers: `observer TEXT PRIMARY KEY, principal TEXT NOT NULL, suspended INTEGER NOT NULL,
    vouched INTEGER NOT NULL, source TEXT`,
  // A principal that runs a record (ledger row), or all records of a name (its key).
  affiliations: "principal TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (principal, subject)",
  // The last UTC day (ms) on which an observer of a source sent something.
  active_observers:
    "source TEXT NOT NULL, observer TEXT NOT NULL, last_day INTEGER NOT NULL, PRIMARY KEY (source, observer)",
  // Keyed hashes of media, and of media with their looks, and the first row that had them.
  seen_traces: "key BLOB PRIMARY KEY, row INTEGER NOT NULL",
  // Principals that are established, and the UTC day (ms) since which they are.
  standings: "principal TEXT PRIMARY KEY, since INTEGER NOT NULL",
  // Observations that a check set aside; `review` is what a reviewer said of it. `established`: 1 where the check alone kept the row
  // from counting when it entered.
  set_aside: `row INTEGER PRIMARY KEY, check_code TEXT NOT NULL, day INTEGER NOT NULL,
    review TEXT CHECK (review IN ('restored', 'confirmed')), reviewed_on INTEGER, established INTEGER NOT NULL`,
  // What checks raised for reviewers, each once; `outcome` is what a reviewer said of it.
  raised_items: `key TEXT PRIMARY KEY, check_code TEXT NOT NULL, record INTEGER, rows TEXT NOT NULL, day INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('handled', 'harmless'))`,
  // Changes of what counts, and erasures, that wait for their keyed day (ms).
  delayed_changes:
    "target INTEGER NOT NULL, change TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (target, change)",
} as const;

export const SOURCE_COLUMNS = {
  sources: {
    id: "private",
    row: "private",
    operator: "private",
    kind: "private",
    vetting: "private",
    asset_types: "private",
    state: "private",
  },
  observers: {
    observer: "private",
    principal: "private",
    suspended: "private",
    vouched: "private",
    source: "private",
  },
  affiliations: { principal: "private", subject: "private" },
  active_observers: { source: "private", observer: "private", last_day: "private" },
  seen_traces: { key: "private", row: "private" },
  standings: { principal: "private", since: "private" },
  set_aside: {
    row: "private",
    check_code: "private",
    day: "private",
    review: "private",
    reviewed_on: "private",
    established: "private",
  },
  raised_items: {
    key: "private",
    check_code: "private",
    record: "private",
    rows: "private",
    day: "private",
    outcome: "private",
  },
  delayed_changes: { target: "private", change: "private", due: "private" },
} as const satisfies ColumnMarks;

export const SOURCE_SQL = Object.entries(TABLES)
  .map(([table, columns]) => `CREATE TABLE ${table} (${columns}) STRICT;`)
  .join("\n");
