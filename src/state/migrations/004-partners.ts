import type { ColumnTypes } from "./column-types.ts";

/** Of keys and secrets only hashes. A quota row counts in the UTC day and month that it names; in another one it stands for zero. */
export const partnerTables = (types: ColumnTypes): readonly string[] => [
  ...clientTables(types),
  ...webhookTables(types),
];

const clientTables = ({ int, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE partner_clients (
    public_id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    contact_email TEXT,
    status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
    portal_access ${int} NOT NULL CHECK (portal_access IN (0, 1)),
    created_at ${int} NOT NULL,
    disabled_at ${int}
  ) ${end}`,
  `CREATE TABLE partner_quotas (
    client_id TEXT PRIMARY KEY REFERENCES partner_clients (public_id) ON DELETE CASCADE,
    daily ${int} NOT NULL,
    monthly ${int} NOT NULL,
    utc_day TEXT NOT NULL,
    used_today ${int} NOT NULL,
    utc_month TEXT NOT NULL,
    used_this_month ${int} NOT NULL
  ) ${end}`,
  `CREATE TABLE partner_keys (
    public_id TEXT PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES partner_clients (public_id) ON DELETE CASCADE,
    prefix TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,
    created_at ${int} NOT NULL,
    last_used_at ${int},
    revoked_at ${int}
  ) ${end}`,
  "CREATE INDEX partner_keys_prefix ON partner_keys (prefix)",
  "CREATE INDEX partner_keys_client ON partner_keys (client_id)",
];

const webhookTables = ({ int, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE webhooks (
    public_id TEXT PRIMARY KEY,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('client', 'subscription')),
    owner_id TEXT NOT NULL,
    endpoint_url TEXT NOT NULL,
    event_types TEXT,
    city TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'disabled')),
    status_reason TEXT,
    rotation ${int} NOT NULL,
    secret_hash TEXT NOT NULL,
    previous_valid_until ${int},
    challenge_hash TEXT,
    challenge_expires_at ${int},
    failures ${int} NOT NULL,
    failing_since ${int},
    last_success_at ${int},
    created_at ${int} NOT NULL,
    updated_at ${int} NOT NULL,
    verified_at ${int},
    UNIQUE (owner_kind, owner_id, endpoint_url)
  ) ${end}`,
  "CREATE INDEX webhooks_status ON webhooks (status, city)",
];
