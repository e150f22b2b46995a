import type { ColumnTypes } from "./column-types.ts";

/**
 * A report is open until it has a resolution; the last one counts, and the earlier ones stay, so that counts of a day long gone are the same
 * as they were. What may tell a person is null once it is deleted.
 */
export const reportTables = ({ int, serial, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE reports (
    public_id TEXT PRIMARY KEY,
    content_key TEXT,
    about TEXT,
    record TEXT,
    kind TEXT NOT NULL,
    text TEXT,
    email TEXT,
    received_at ${int} NOT NULL
  ) ${end}`,
  "CREATE INDEX reports_content ON reports (content_key, received_at) WHERE content_key IS NOT NULL",
  "CREATE INDEX reports_age ON reports (received_at)",
  `CREATE TABLE report_resolutions (
    id ${serial},
    report_id TEXT NOT NULL REFERENCES reports (public_id) ON DELETE CASCADE,
    outcome TEXT NOT NULL,
    ledger_row ${int},
    resolved_by TEXT NOT NULL,
    note TEXT,
    resolved_at ${int} NOT NULL
  ) ${end}`,
  "CREATE INDEX report_resolutions_report ON report_resolutions (report_id, id)",
];
