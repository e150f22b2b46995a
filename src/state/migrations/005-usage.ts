import type { ColumnTypes } from "./column-types.ts";

/**
 * `usage_requests` are kept for 90 days, the counters for ever. A client is known by a hash with the salt of the day, and the salt is
 * deleted; no address is stored.
 */
export const usageTables = ({ int, serial, end }: ColumnTypes): readonly string[] => [
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
];
