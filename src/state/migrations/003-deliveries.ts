import type { ColumnTypes } from "./column-types.ts";

/**
 * `due_at` is when an item may be claimed: the next attempt of one that waits, the end of the lease of one that is being worked on, null
 * for one that is done or dead. `attempts` only grows and tells a late worker that its lease is over; `tries` begins anew with a replay.
 */
export const deliveryTables = ({ int, serial, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE outbox (
    id ${serial},
    item_key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('mail', 'webhook')),
    target TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'leased', 'done', 'dead')),
    attempts ${int} NOT NULL,
    tries ${int} NOT NULL,
    due_at ${int},
    last_error TEXT,
    created_at ${int} NOT NULL,
    finished_at ${int},
    CHECK ((due_at IS NULL) = (state IN ('done', 'dead')))
  ) ${end}`,
  "CREATE INDEX outbox_due ON outbox (due_at, id) WHERE due_at IS NOT NULL",
  "CREATE INDEX outbox_target ON outbox (target, id)",
  "CREATE INDEX outbox_finished ON outbox (finished_at) WHERE finished_at IS NOT NULL",
  `CREATE TABLE delivery_attempts (
    id ${serial},
    outbox_id ${int} NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    attempted_at ${int} NOT NULL,
    duration_ms ${int} NOT NULL,
    status_code ${int},
    error TEXT
  ) ${end}`,
  "CREATE INDEX delivery_attempts_item ON delivery_attempts (outbox_id)",
  `CREATE TABLE publications (
    release_id TEXT PRIMARY KEY,
    matched_at ${int} NOT NULL
  ) ${end}`,
  `CREATE TABLE matched_events (
    event_id TEXT PRIMARY KEY,
    release_id TEXT NOT NULL
  ) ${end}`,
];
