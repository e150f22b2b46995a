import type { ColumnTypes } from "./column-types.ts";

/**
 * A request is what a confirmation mail was sent for; a subscription is what came of it. `address_key` and `scope_key` are keyed hashes.
 * The address of a subscription that has ended is deleted.
 */
export const subscriptionTables = ({ int, real, serial, end }: ColumnTypes): readonly string[] => [
  `CREATE TABLE subscription_requests (
    id ${serial},
    public_id TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    address_key TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    email TEXT NOT NULL,
    city TEXT NOT NULL,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'dashboard', 'webhook')),
    entity_public_id TEXT,
    industry_code TEXT,
    event_types TEXT,
    min_confidence ${real} NOT NULL,
    webhook_url TEXT,
    created_at ${int} NOT NULL,
    expires_at ${int} NOT NULL,
    used_at ${int}
  ) ${end}`,
  "CREATE INDEX subscription_requests_address ON subscription_requests (address_key, created_at)",
  "CREATE INDEX subscription_requests_age ON subscription_requests (created_at)",
  `CREATE TABLE subscriptions (
    public_id TEXT PRIMARY KEY,
    address_key TEXT NOT NULL,
    scope_key TEXT NOT NULL UNIQUE,
    email TEXT,
    city TEXT NOT NULL,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'dashboard', 'webhook')),
    entity_public_id TEXT,
    industry_code TEXT,
    event_types TEXT,
    min_confidence ${real} NOT NULL,
    webhook_url TEXT,
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'unsubscribed')),
    status_reason TEXT,
    created_at ${int} NOT NULL,
    confirmed_at ${int} NOT NULL,
    updated_at ${int} NOT NULL,
    CHECK (email IS NOT NULL OR status = 'unsubscribed')
  ) ${end}`,
  "CREATE INDEX subscriptions_city ON subscriptions (city, status)",
  "CREATE INDEX subscriptions_address ON subscriptions (address_key)",
  `CREATE TABLE suppressed_addresses (
    address_key TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    created_at ${int} NOT NULL
  ) ${end}`,
];
