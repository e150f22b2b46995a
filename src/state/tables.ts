/**
 * The tables of the state, as `schema/` makes them. Times are milliseconds since the epoch, days `2026-05-01`, months `2026-05`; lists
 * of event types are JSON, and null stands for all.
 */

import type { Generated, Selectable } from "kysely";
import type { RemovalOutcome, RemovalProof } from "../contract/accounts/removals.ts";
import type {
  AlertChannel,
  ClientClass,
  RemovalReasonCode,
  ReportKind,
  ReportOutcome,
  SubscriptionStatus,
  Transport,
  WebhookStatus,
} from "../contract/enums.ts";

/**
 * How a column is treated. Nothing here is published but counts. `personal`: may identify a person; deleted as soon as it is not needed, never
 * in a log. `hash`: stands for a secret or an address that is not stored. `secret`: is one itself.
 */
type Mark = "plain" | "personal" | "hash" | "secret";

interface Column<T> {
  readonly mark: Mark;
  readonly type?: T; // never set: it carries the type of the values
}

const plain = <T>(): Column<T> => ({ mark: "plain" });
const personal = <T>(): Column<T> => ({ mark: "personal" });
const hash = <T>(): Column<T> => ({ mark: "hash" });
const secret = <T>(): Column<T> => ({ mark: "secret" });

export type Flag = 0 | 1;
export type DeliveryKind = "mail" | "webhook";
/** Whose budget an email counts against. */
export type EmailBudget = "mailbox" | "domain";
export type OutboxState = "waiting" | "leased" | "done" | "dead";

/** The columns that a subscription request shares with its subscription. */
const WISH = {
  mailbox_key: hash<string>(),
  scope_key: hash<string>(),
  city: plain<string>(),
  channel: plain<AlertChannel>(),
  entity_public_id: plain<string | null>(),
  industry_code: plain<string | null>(),
  event_types: plain<string | null>(),
  min_confidence: plain<number>(),
  webhook_url: personal<string | null>(),
};

export const STATE_TABLES = {
  store: {
    id: plain<1>(),
    version: plain<number>(), // see format.ts
    key_check: hash<string>(),
    created_at: plain<number>(),
  },
  subscription_requests: {
    ...WISH,
    id: plain<Generated<number>>(),
    public_id: plain<string>(),
    token_hash: hash<string>(),
    email: personal<string>(),
    created_at: plain<number>(),
    expires_at: plain<number>(),
    used_at: plain<number | null>(),
  },
  subscriptions: {
    ...WISH,
    public_id: plain<string>(),
    email: personal<string | null>(), // null once unsubscribed
    status: plain<Exclude<SubscriptionStatus, "pending">>(),
    status_reason: plain<string | null>(),
    created_at: plain<number>(),
    confirmed_at: plain<number>(),
    updated_at: plain<number>(),
  },
  suppressed_addresses: {
    mailbox_key: hash<string>(),
    reason: plain<string>(),
    created_at: plain<number>(),
  },
  email_budgets: {
    budget: plain<EmailBudget>(),
    holder_key: hash<string>(),
    started_at: plain<number>(),
    used: plain<number>(),
  },
  outbox: {
    id: plain<Generated<number>>(),
    item_key: plain<string>(),
    kind: plain<DeliveryKind>(),
    target: plain<string>(),
    payload: personal<string>(),
    state: plain<OutboxState>(),
    attempts: plain<number>(),
    tries: plain<number>(),
    due_at: plain<number | null>(),
    last_error: personal<string | null>(),
    created_at: plain<number>(),
    finished_at: plain<number | null>(),
  },
  delivery_attempts: {
    id: plain<Generated<number>>(),
    outbox_id: plain<number>(),
    attempted_at: plain<number>(),
    duration_ms: plain<number>(),
    status_code: plain<number | null>(),
    error: personal<string | null>(),
  },
  publications: {
    release_id: plain<string>(),
    matched_at: plain<number>(),
  },
  matched_events: {
    event_id: plain<string>(),
    release_id: plain<string>(),
  },
  partner_clients: {
    public_id: plain<string>(),
    name: plain<string>(),
    contact_email: personal<string | null>(),
    status: plain<"active" | "disabled">(),
    portal_access: plain<Flag>(),
    created_at: plain<number>(),
    disabled_at: plain<number | null>(),
  },
  partner_quotas: {
    client_id: plain<string>(),
    daily: plain<number>(),
    monthly: plain<number>(),
    utc_day: plain<string>(),
    used_today: plain<number>(),
    utc_month: plain<string>(),
    used_this_month: plain<number>(),
  },
  partner_keys: {
    public_id: plain<string>(),
    client_id: plain<string>(),
    prefix: plain<string>(),
    key_hash: hash<string>(),
    created_at: plain<number>(),
    last_used_at: plain<number | null>(),
    revoked_at: plain<number | null>(),
  },
  webhooks: {
    public_id: plain<string>(),
    owner_kind: plain<"client" | "subscription">(),
    owner_id: plain<string>(),
    endpoint_url: personal<string>(),
    event_types: plain<string | null>(),
    city: plain<string | null>(),
    status: plain<WebhookStatus>(),
    status_reason: plain<string | null>(),
    rotation: plain<number>(),
    secret_hash: hash<string>(),
    previous_valid_until: plain<number | null>(),
    challenge_hash: hash<string | null>(),
    challenge_expires_at: plain<number | null>(),
    failures: plain<number>(),
    failing_since: plain<number | null>(),
    last_success_at: plain<number | null>(),
    created_at: plain<number>(),
    updated_at: plain<number>(),
    verified_at: plain<number | null>(),
  },
  usage_requests: {
    id: plain<Generated<number>>(),
    requested_at: plain<number>(),
    transport: plain<Transport>(),
    client_class: plain<ClientClass>(),
    agent: plain<string | null>(),
    status: plain<number | null>(),
    operation: plain<string>(),
    tool: plain<string | null>(),
    city: plain<string | null>(),
    record: plain<string | null>(),
    latency_ms: plain<number | null>(),
    client_id: plain<string | null>(),
    instance_hash: hash<string | null>(),
    internal: plain<Flag>(),
    timed_out: plain<Flag>(),
    schema_failure: plain<Flag>(),
    rate_limited: plain<Flag>(),
    segment: plain<string | null>(),
  },
  usage_counters: {
    utc_day: plain<string>(),
    dimension: plain<string>(),
    value: plain<string>(),
    requests: plain<number>(),
    latest_at: plain<number>(),
  },
  usage_instances: {
    utc_day: plain<string>(),
    instance_hash: hash<string>(),
  },
  usage_search_clients: {
    utc_day: plain<string>(),
    place: plain<string>(),
    instance_hash: hash<string>(),
  },
  usage_salts: {
    utc_day: plain<string>(),
    salt: secret<string>(),
  },
  usage_segments: {
    segment: plain<string>(),
    requests: plain<number>(),
    imported_at: plain<number>(),
  },
  reports: {
    public_id: plain<string>(),
    content_key: hash<string | null>(),
    about: plain<string | null>(),
    record: plain<string | null>(),
    kind: plain<ReportKind>(),
    text: personal<string | null>(),
    email: personal<string | null>(),
    received_at: plain<number>(),
  },
  report_resolutions: {
    id: plain<Generated<number>>(),
    report_id: plain<string>(),
    outcome: plain<ReportOutcome>(),
    ledger_row: plain<number | null>(),
    resolved_by: plain<string>(),
    note: personal<string | null>(),
    resolved_at: plain<number>(),
  },
  removals: {
    public_id: plain<string>(), // as with reports, only the sender is told it
    record: plain<string | null>(),
    proof: plain<RemovalProof>(),
    created_at: plain<number>(),
    expires_at: plain<number>(),
    checks: plain<number>(),
    checked_at: plain<number | null>(),
    code_hash: hash<string | null>(),
    code_expires_at: plain<number | null>(),
    code_attempts: plain<number>(),
    proven_at: plain<number | null>(),
    proven_by: plain<"dns" | "well_known" | "code" | null>(),
    reason: plain<RemovalReasonCode | null>(),
    requested_at: plain<number | null>(),
    outcome: plain<RemovalOutcome | null>(),
    resolved_at: plain<number | null>(),
    resolved_by: plain<string | null>(),
  },
};

type ColumnType<C> = C extends Column<infer T> ? T : never;

export type StateTables = {
  [Table in keyof typeof STATE_TABLES]: {
    [Name in keyof (typeof STATE_TABLES)[Table]]: ColumnType<(typeof STATE_TABLES)[Table][Name]>;
  };
};

export type Row<T extends keyof StateTables> = Selectable<StateTables[T]>;
