import type { ColumnTypes } from "./column-types.ts";

/** Requests of owners to remove a record. A request that is not proven in time is deleted; the record's id goes with the record. */
export const removalTables = ({ int, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE removals (
    public_id TEXT PRIMARY KEY,
    record TEXT,
    proof TEXT NOT NULL,
    created_at ${int} NOT NULL,
    expires_at ${int} NOT NULL,
    checks ${int} NOT NULL,
    checked_at ${int},
    code_hash TEXT,
    code_expires_at ${int},
    code_attempts ${int} NOT NULL,
    proven_at ${int},
    proven_by TEXT,
    reason TEXT,
    requested_at ${int},
    outcome TEXT,
    resolved_at ${int},
    resolved_by TEXT
  ) ${end}`,
  "CREATE INDEX removals_record ON removals (record) WHERE record IS NOT NULL",
];
