import type { Generated, Selectable } from "kysely";
import type {
  AlertChannel,
  ClientClass,
  ReportKind,
  ReportOutcome,
  SubscriptionStatus,
  Transport,
  WebhookStatus,
} from "../contract/enums.ts";

/**
 * The tables of the state, as `migrations/` makes them. Times are milliseconds since the epoch, days `2026-05-01`, months `2026-05`; lists
 * of event types are JSON, and null stands for all.
 */

export type Flag = 0 | 1;

interface StoreTable {
  id: 1;
  key_check: string;
  created_at: number;
}

/** What a person asked for, in a request as in the subscription that it becomes. */
interface Wish {
  address_key: string;
  scope_key: string;
  city: string;
  channel: AlertChannel;
  entity_public_id: string | null;
  industry_code: string | null;
  event_types: string | null;
  min_confidence: number;
  webhook_url: string | null;
}

interface SubscriptionRequestsTable extends Wish {
  id: Generated<number>;
  public_id: string;
  token_hash: string;
  email: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

interface SubscriptionsTable extends Wish {
  public_id: string;
  email: string | null; // null once unsubscribed
  status: Exclude<SubscriptionStatus, "pending">;
  status_reason: string | null;
  created_at: number;
  confirmed_at: number;
  updated_at: number;
}

interface SuppressedAddressesTable {
  address_key: string;
  reason: string;
  created_at: number;
}

export type DeliveryKind = "mail" | "webhook";
export type OutboxState = "waiting" | "leased" | "done" | "dead";

interface OutboxTable {
  id: Generated<number>;
  item_key: string;
  kind: DeliveryKind;
  target: string;
  payload: string;
  state: OutboxState;
  attempts: number;
  tries: number;
  due_at: number | null;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

interface DeliveryAttemptsTable {
  id: Generated<number>;
  outbox_id: number;
  attempted_at: number;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
}

interface PublicationsTable {
  release_id: string;
  matched_at: number;
}

interface MatchedEventsTable {
  event_id: string;
  release_id: string;
}

interface PartnerClientsTable {
  public_id: string;
  name: string;
  contact_email: string | null;
  status: "active" | "disabled";
  portal_access: Flag;
  created_at: number;
  disabled_at: number | null;
}

interface PartnerQuotasTable {
  client_id: string;
  daily: number;
  monthly: number;
  utc_day: string;
  used_today: number;
  utc_month: string;
  used_this_month: number;
}

interface PartnerKeysTable {
  public_id: string;
  client_id: string;
  prefix: string;
  key_hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

interface WebhooksTable {
  public_id: string;
  owner_kind: "client" | "subscription";
  owner_id: string;
  endpoint_url: string;
  event_types: string | null;
  city: string | null;
  status: WebhookStatus;
  status_reason: string | null;
  rotation: number;
  secret_hash: string;
  previous_valid_until: number | null;
  challenge_hash: string | null;
  challenge_expires_at: number | null;
  failures: number;
  failing_since: number | null;
  last_success_at: number | null;
  created_at: number;
  updated_at: number;
  verified_at: number | null;
}

interface UsageRequestsTable {
  id: Generated<number>;
  requested_at: number;
  transport: Transport;
  client_class: ClientClass;
  agent: string | null;
  status: number | null;
  operation: string;
  tool: string | null;
  city: string | null;
  record: string | null;
  latency_ms: number | null;
  client_id: string | null;
  instance_hash: string | null;
  internal: Flag;
  timed_out: Flag;
  schema_failure: Flag;
  rate_limited: Flag;
  segment: string | null;
}

interface UsageCountersTable {
  utc_day: string;
  dimension: string;
  value: string;
  requests: number;
  latest_at: number;
}

interface UsageInstancesTable {
  utc_day: string;
  instance_hash: string;
}

interface UsageSearchClientsTable {
  utc_day: string;
  place: string;
  instance_hash: string;
}

interface UsageSaltsTable {
  utc_day: string;
  salt: string;
}

interface UsageSegmentsTable {
  segment: string;
  requests: number;
  imported_at: number;
}

interface ReportsTable {
  public_id: string;
  content_key: string | null;
  about: string | null;
  record: string | null;
  kind: ReportKind;
  text: string | null;
  email: string | null;
  received_at: number;
}

interface ReportResolutionsTable {
  id: Generated<number>;
  report_id: string;
  outcome: ReportOutcome;
  ledger_row: number | null;
  resolved_by: string;
  note: string | null;
  resolved_at: number;
}

export interface StateTables {
  store: StoreTable;
  subscription_requests: SubscriptionRequestsTable;
  subscriptions: SubscriptionsTable;
  suppressed_addresses: SuppressedAddressesTable;
  outbox: OutboxTable;
  delivery_attempts: DeliveryAttemptsTable;
  publications: PublicationsTable;
  matched_events: MatchedEventsTable;
  partner_clients: PartnerClientsTable;
  partner_quotas: PartnerQuotasTable;
  partner_keys: PartnerKeysTable;
  webhooks: WebhooksTable;
  usage_requests: UsageRequestsTable;
  usage_counters: UsageCountersTable;
  usage_instances: UsageInstancesTable;
  usage_search_clients: UsageSearchClientsTable;
  usage_salts: UsageSaltsTable;
  usage_segments: UsageSegmentsTable;
  reports: ReportsTable;
  report_resolutions: ReportResolutionsTable;
}

export type Row<T extends keyof StateTables> = Selectable<StateTables[T]>;
