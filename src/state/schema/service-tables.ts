/** What is counted, and what readers report and ask for. */

import type { Tables } from "./column-types.ts";

/**
 * `usage_requests` are kept for 90 days, the counters for ever. A client is known by a hash with the salt of the day; salts are deleted, and so is
 * who searched in which place on a day. No address is stored.
 */
export const usageTables: Tables = ({ int, serial, end }) => [
  `CREATE TABLE usage_requests (
    id ${serial},
    requested_at ${int} NOT NULL,
    transport TEXT NOT NULL CHECK (transport IN ('rest', 'mcp', 'other')),
    client_class TEXT NOT NULL CHECK (client_class IN ('search_crawler', 'ai_crawler', 'authenticated_partner',
      'anonymous_or_unattributed', 'other_client')),
    agent TEXT,
    status ${int},
    operation TEXT NOT NULL,
    tool TEXT,
    city TEXT,
    record TEXT,
    latency_ms ${int},
    client_id TEXT,
    instance_hash TEXT,
    internal ${int} NOT NULL CHECK (internal IN (0, 1)),
    timed_out ${int} NOT NULL CHECK (timed_out IN (0, 1)),
    schema_failure ${int} NOT NULL CHECK (schema_failure IN (0, 1)),
    rate_limited ${int} NOT NULL CHECK (rate_limited IN (0, 1)),
    segment TEXT
  ) ${end}`,
  "CREATE INDEX usage_requests_time ON usage_requests (requested_at)",
  "CREATE INDEX usage_requests_client ON usage_requests (client_id, requested_at) WHERE client_id IS NOT NULL",
  `CREATE TABLE usage_counters (
    utc_day TEXT NOT NULL,
    dimension TEXT NOT NULL,
    value TEXT NOT NULL,
    requests ${int} NOT NULL,
    latest_at ${int} NOT NULL,
    PRIMARY KEY (utc_day, dimension, value)
  ) ${end}`,
  `CREATE TABLE usage_instances (
    utc_day TEXT NOT NULL,
    instance_hash TEXT NOT NULL,
    PRIMARY KEY (utc_day, instance_hash)
  ) ${end}`,
  `CREATE TABLE usage_salts (
    utc_day TEXT PRIMARY KEY,
    salt TEXT NOT NULL
  ) ${end}`,
  `CREATE TABLE usage_segments (
    segment TEXT PRIMARY KEY,
    requests ${int} NOT NULL,
    imported_at ${int} NOT NULL
  ) ${end}`,
  `CREATE TABLE usage_search_clients (
    utc_day TEXT NOT NULL,
    place TEXT NOT NULL,
    instance_hash TEXT NOT NULL,
    PRIMARY KEY (utc_day, place, instance_hash)
  ) ${end}`,
];

/**
 * A report is open until it has a resolution; the last one counts, and the earlier ones stay, so that counts of a day long gone are the same
 * as they were. What may tell a person is null once it is deleted.
 */
export const reportTables: Tables = ({ int, serial, end }) => [
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

/** Requests of owners to remove a record. A request that is not proven in time is deleted; the record's id goes with the record. */
export const removalTables: Tables = ({ int, end }) => [
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
