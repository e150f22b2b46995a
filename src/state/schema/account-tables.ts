/** Subscriptions, partners, and what is sent to them. */

import type { Tables } from "./column-types.ts";

/**
 * A request is what a confirmation email was sent for; a subscription is what came of it. `mailbox_key` and `scope_key` are keyed hashes:
 * of the mailbox that an address reaches, of the address as it was written and what is subscribed to. The address of a subscription that has ended
 * is deleted. `email_budgets` counts the emails that strangers caused, by mailbox and domain.
 */
export const subscriptionTables: Tables = ({ int, real, serial, end }) => [
  `CREATE TABLE subscription_requests (
    id ${serial},
    public_id TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    mailbox_key TEXT NOT NULL,
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
  "CREATE INDEX subscription_requests_scope ON subscription_requests (scope_key, created_at)",
  "CREATE INDEX subscription_requests_mailbox ON subscription_requests (mailbox_key)",
  "CREATE INDEX subscription_requests_age ON subscription_requests (created_at)",
  `CREATE TABLE subscriptions (
    public_id TEXT PRIMARY KEY,
    mailbox_key TEXT NOT NULL,
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
  "CREATE INDEX subscriptions_mailbox ON subscriptions (mailbox_key)",
  `CREATE TABLE suppressed_addresses (
    mailbox_key TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    created_at ${int} NOT NULL
  ) ${end}`,
  `CREATE TABLE email_budgets (
    budget TEXT NOT NULL CHECK (budget IN ('mailbox', 'domain')),
    holder_key TEXT NOT NULL,
    started_at ${int} NOT NULL,
    used ${int} NOT NULL,
    PRIMARY KEY (budget, holder_key)
  ) ${end}`,
];

/**
 * `due_at` is when an item may be claimed: the next attempt of one that waits, the end of the lease of one that is being worked on, null
 * for one that is done or dead. `attempts` only grows and tells a late worker that its lease is over; `tries` begins anew with a replay.
 */
export const deliveryTables: Tables = ({ int, serial, end }) => [
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

/** Of keys and secrets only hashes. A quota row counts in the UTC day and month that it names; in another one it stands for zero. */
export const partnerTables: Tables = ({ int, end }) => [
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

export const webhookTables: Tables = ({ int, end }) => [
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
