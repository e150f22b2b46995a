import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import type { ProofPlace, RemovalOutcome, RemovalProof } from "../contract/accounts/removals.ts";
import {
  AlertChannel,
  ClientClass,
  EventType,
  type RemovalReasonCode,
  type ReportKind,
  type ReportOutcome,
  SubscriptionStatus,
  Transport,
  WebhookStatus,
} from "../contract/enums.ts";
import { DELIVERIES_KEPT_DAYS, MATCHED_EVENTS_KEPT_DAYS, RAW_ACTIVITY_DAYS } from "../contract/limits.ts";
import {
  type Columns,
  checkedJson,
  flag,
  integer,
  oneOf,
  onlyRow,
  real,
  type StoredRowOf,
  serial,
  type Table,
  table,
  text,
} from "../kernel/table.ts";

/**
 * The tables of the state. Times are milliseconds since the epoch, days `2026-05-01`, months `2026-05`; lists of event types are null for all of them.
 * Nothing here is published but counts. A change of a table is another format: raise `BASELINE` in migrate.ts, or append a migration there.
 */

export type DeliveryKind = "mail" | "webhook";
/** Whose budget an email counts against. */
export type EmailBudget = "mailbox" | "domain";
export type OutboxState = "waiting" | "leased" | "done" | "dead";

/** Beyond it no client of the day is told apart any more; their requests still count. */
export const MAX_DAILY_CLIENTS = 1_000_000;

const CLIENTS = `${MAX_DAILY_CLIENTS.toLocaleString("en-US")} clients`;
const WRITES = "`WRITES_PER_HOUR` an hour";
const NEXT_DAY = "until the next day is over";

/** What is subscribed to: of a request, and of the subscription that came of it. `scope_key` is of the address as it was written, too. */
const wish = {
  private: {
    city: text(),
    channel: oneOf(AlertChannel.options),
    entityPublicId: text().nullable(),
    industryCode: text().nullable(),
    eventTypes: checkedJson(z.array(EventType).readonly()).nullable(),
    minConfidence: real(),
    createdAt: integer(),
  },
  personal: { webhookUrl: text().nullable() },
  hash: { mailboxKey: text() }, // of the mailbox that an address reaches
};

const partner = () => text().references("partner_clients (public_id) ON DELETE CASCADE");

/** In the order in which they are made. */
export const STATE_TABLES = {
  store: table("store", {
    private: { id: onlyRow(), version: integer(), createdAt: integer() },
    hash: { keyCheck: text() }, // of the key file that the database belongs to
    bound: { limit: "1 row", kept: "as long as the database" },
  }),
  /** A request is what a confirmation email was sent for. */
  subscription_requests: table("subscription_requests", {
    private: {
      id: serial(),
      publicId: text(),
      ...wish.private,
      expiresAt: integer(),
      usedAt: integer().nullable(),
    },
    personal: { email: text(), ...wish.personal },
    hash: { tokenHash: text().unique(), scopeKey: text(), ...wish.hash },
    indexes: [
      "CREATE INDEX subscription_requests_scope ON subscription_requests (scope_key, created_at)",
      "CREATE INDEX subscription_requests_mailbox ON subscription_requests (mailbox_key)",
      "CREATE INDEX subscription_requests_age ON subscription_requests (created_at)",
    ],
    bound: { limit: WRITES, kept: "48 hours" },
  }),
  subscriptions: table("subscriptions", {
    private: {
      publicId: text().primaryKey(),
      ...wish.private,
      status: oneOf(SubscriptionStatus.exclude(["pending"]).options),
      statusReason: text().nullable(),
      confirmedAt: integer(),
      updatedAt: integer(),
    },
    personal: { email: text().nullable(), ...wish.personal }, // deleted with the end of the subscription
    hash: { scopeKey: text().unique(), ...wish.hash },
    constraints: ["CHECK (email IS NOT NULL OR status = 'unsubscribed')"],
    indexes: [
      "CREATE INDEX subscriptions_city ON subscriptions (city, status)",
      "CREATE INDEX subscriptions_mailbox ON subscriptions (mailbox_key)",
    ],
    bound: { limit: "confirmed requests", kept: "`ENDED_SUBSCRIPTION_DAYS` after their end" },
  }),
  suppressed_addresses: table("suppressed_addresses", {
    hash: { mailboxKey: text().primaryKey() },
    private: { reason: text(), createdAt: integer() },
    bound: {
      limit: "1 an address that bounced, complained or refused",
      kept: "until allowed again",
    },
  }),
  /** Counts the emails that strangers caused. */
  email_budgets: table("email_budgets", {
    private: {
      budget: oneOf<EmailBudget>(["mailbox", "domain"]),
      startedAt: integer(),
      used: integer(),
    },
    hash: { holderKey: text() },
    primaryKey: ["budget", "holderKey"],
    bound: { limit: "1 a mailbox and 1 a domain that got an email", kept: "1 day" },
  }),
  outbox: table("outbox", {
    private: {
      id: serial(),
      key: text().unique(), // receivers see it as the id of the message
      kind: oneOf<DeliveryKind>(["mail", "webhook"]),
      target: text(),
      state: oneOf<OutboxState>(["waiting", "leased", "done", "dead"]),
      attempts: integer(), // ever: they tell a late worker that its lease is over
      tries: integer(), // since it was put in or replayed
      /** When it may be claimed: the next attempt, the end of the lease, or null for one that is done or dead. */
      dueAt: integer().nullable(),
      createdAt: integer(),
      finishedAt: integer().nullable(),
    },
    personal: { payload: text(), lastError: text().nullable() },
    constraints: ["CHECK ((due_at IS NULL) = (state IN ('done', 'dead')))"],
    indexes: [
      "CREATE INDEX outbox_due ON outbox (due_at, id) WHERE due_at IS NOT NULL",
      "CREATE INDEX outbox_target ON outbox (target, id)",
      "CREATE INDEX outbox_finished ON outbox (finished_at) WHERE finished_at IS NOT NULL",
    ],
    bound: {
      limit: "emails within their budgets; 1 a release and receiver",
      kept: `${DELIVERIES_KEPT_DAYS} days after the last attempt`,
    },
  }),
  delivery_attempts: table("delivery_attempts", {
    private: {
      id: serial(),
      outboxId: integer().references("outbox (id) ON DELETE CASCADE"),
      attemptedAt: integer(),
      durationMs: integer(),
      statusCode: integer().nullable(), // of HTTP or SMTP
    },
    personal: { error: text().nullable() },
    indexes: ["CREATE INDEX delivery_attempts_item ON delivery_attempts (outbox_id)"],
    bound: { limit: "10 a webhook delivery, 10 an email", kept: "with their delivery" },
  }),
  publications: table("publications", {
    private: {
      releaseId: text().primaryKey(),
      matchedAt: integer(),
      // What was queued for it, be it by the server or by the night.
      events: integer(),
      digests: integer(),
      webhooks: integer(),
      withdrawals: integer(),
    },
    bound: { limit: "1 a release", kept: `${MATCHED_EVENTS_KEPT_DAYS} days; the newest stays` },
  }),
  matched_events: table("matched_events", {
    private: { eventId: text().primaryKey(), releaseId: text(), confidence: real() }, // the highest so far
    bound: { limit: "1 a published event", kept: `${MATCHED_EVENTS_KEPT_DAYS} days` },
  }),
  partner_clients: table("partner_clients", {
    private: {
      publicId: text().primaryKey(),
      name: text().unique(),
      status: oneOf(["active", "disabled"]),
      portalAccess: flag(),
      createdAt: integer(),
      disabledAt: integer().nullable(),
    },
    personal: { contactEmail: text().nullable() }, // told when a webhook is disabled
    bound: { limit: "made by the operator", kept: "without contact after `FORMER_CONTACT_DAYS`" },
  }),
  /** Counts in the UTC day and month that a row names; in another one it stands for zero. */
  partner_quotas: table("partner_quotas", {
    private: {
      clientId: partner().primaryKey(),
      daily: integer(),
      monthly: integer(),
      utcDay: text(),
      usedToday: integer(),
      utcMonth: text(),
      usedThisMonth: integer(),
    },
    bound: { limit: "1 a partner", kept: "with the partner" },
  }),
  partner_keys: table("partner_keys", {
    private: {
      publicId: text().primaryKey(),
      clientId: partner(),
      prefix: text(),
      createdAt: integer(),
      lastUsedAt: integer().nullable(), // to the minute
      revokedAt: integer().nullable(),
    },
    hash: { keyHash: text().unique() },
    indexes: [
      "CREATE INDEX partner_keys_prefix ON partner_keys (prefix)",
      "CREATE INDEX partner_keys_client ON partner_keys (client_id)",
    ],
    bound: { limit: "made by the operator", kept: "with the partner" },
  }),
  /** Endpoints belong to partners, and to alert subscriptions of the channel `webhook`; both are verified and served alike. */
  webhooks: table("webhooks", {
    private: {
      publicId: text().primaryKey(),
      ownerKind: oneOf(["client", "subscription"]),
      ownerId: text(),
      eventTypes: wish.private.eventTypes,
      city: text().nullable(), // null: all
      status: oneOf(WebhookStatus.options),
      statusReason: text().nullable(),
      rotation: integer(),
      previousValidUntil: integer().nullable(),
      challengeExpiresAt: integer().nullable(),
      failures: integer(), // in a row
      failingSince: integer().nullable(),
      lastSuccessAt: integer().nullable(),
      createdAt: integer(),
      updatedAt: integer(),
      verifiedAt: integer().nullable(),
    },
    personal: { endpointUrl: text() },
    hash: { secretHash: text(), challengeHash: text().nullable() },
    constraints: ["UNIQUE (owner_kind, owner_id, endpoint_url)"],
    indexes: ["CREATE INDEX webhooks_status ON webhooks (status, city)"],
    bound: { limit: "10 a partner, 1 a subscription", kept: "until removed" },
  }),
  /** A client is known by a hash with the salt of the day; salts are deleted, and so is who searched in which place on a day. */
  usage_requests: table("usage_requests", {
    private: {
      id: serial(),
      requestedAt: integer(),
      transport: oneOf(Transport.options),
      clientClass: oneOf(ClientClass.options),
      agent: text().nullable(), // name of a known crawler
      status: integer().nullable(), // null: the client was gone before the answer
      operation: text(), // from a closed list, never the path as it came
      tool: text().nullable(), // of MCP
      city: text().nullable(), // slug of a city of the service
      record: text().nullable(), // public id
      latencyMs: integer().nullable(),
      clientId: text().nullable(), // of a partner
      internal: flag(),
      timedOut: flag(),
      schemaFailure: flag(),
      rateLimited: flag(),
      segment: text().nullable(),
    },
    hash: { instanceHash: text().nullable() },
    indexes: [
      "CREATE INDEX usage_requests_time ON usage_requests (requested_at)",
      "CREATE INDEX usage_requests_client ON usage_requests (client_id, requested_at) WHERE client_id IS NOT NULL",
    ],
    bound: { limit: "reads with a key: the daily quotas", kept: `${RAW_ACTIVITY_DAYS} days` },
  }),
  usage_counters: table("usage_counters", {
    private: { utcDay: text(), dimension: text(), value: text(), requests: integer(), latestAt: integer() },
    primaryKey: ["utcDay", "dimension", "value"],
    bound: { limit: "1 a day and value of a closed list, city or record", kept: "forever" },
  }),
  usage_instances: table("usage_instances", {
    private: { utcDay: text() },
    hash: { instanceHash: text() },
    primaryKey: ["utcDay", "instanceHash"],
    bound: { limit: `${CLIENTS} a day`, kept: NEXT_DAY },
  }),
  usage_search_clients: table("usage_search_clients", {
    private: { utcDay: text(), place: text() },
    hash: { instanceHash: text() },
    primaryKey: ["utcDay", "place", "instanceHash"],
    bound: { limit: `searches of ${CLIENTS} a day`, kept: NEXT_DAY },
  }),
  usage_salts: table("usage_salts", {
    private: { utcDay: text().primaryKey() },
    secret: { salt: text() },
    bound: { limit: "1 a day", kept: NEXT_DAY },
  }),
  usage_segments: table("usage_segments", {
    private: { segment: text().primaryKey(), requests: integer(), importedAt: integer() },
    bound: { limit: "1 a part of an imported log", kept: `${RAW_ACTIVITY_DAYS + 1} days` },
  }),
  /** Open until it has a resolution. What may tell a person is null once it is deleted. */
  reports: table("reports", {
    private: {
      publicId: text().primaryKey(),
      about: text().nullable(), // public id or number of a ledger row; null: something else, or it was erased
      record: text().nullable(), // public id of the record that it is about, where that is known
      kind: text<ReportKind>(),
      receivedAt: integer(),
    },
    personal: { text: text().nullable(), email: text().nullable() },
    hash: { contentKey: text().nullable() },
    indexes: [
      "CREATE INDEX reports_content ON reports (content_key, received_at) WHERE content_key IS NOT NULL",
      "CREATE INDEX reports_age ON reports (received_at)",
    ],
    bound: {
      limit: WRITES,
      kept: "texts and addresses 90 days after the decision, or `OPEN_REPORT_DAYS`",
    },
  }),
  /** The last one counts; the earlier ones stay, so that counts of a day long gone are the same as they were. */
  report_resolutions: table("report_resolutions", {
    private: {
      id: serial(),
      reportId: text().references("reports (public_id) ON DELETE CASCADE"),
      outcome: text<ReportOutcome>(),
      ledgerRow: integer().nullable(), // what it led to
      resolvedBy: text(), // a role
      resolvedAt: integer(),
    },
    personal: { note: text().nullable() },
    indexes: ["CREATE INDEX report_resolutions_report ON report_resolutions (report_id, id)"],
    bound: { limit: "decisions of reviewers", kept: "with their report; notes 90 days" },
  }),
  /** Requests of owners. One that is not proven in time is deleted; the record's id goes with the record. */
  removals: table("removals", {
    private: {
      publicId: text().primaryKey(), // as with reports, only the sender is told it
      record: text().nullable(),
      proof: text<RemovalProof>(),
      createdAt: integer(),
      expiresAt: integer(),
      checks: integer(),
      checkedAt: integer().nullable(),
      codeExpiresAt: integer().nullable(),
      codeAttempts: integer(),
      provenAt: integer().nullable(),
      provenBy: text<ProofPlace | "code">().nullable(),
      reason: text<RemovalReasonCode>().nullable(),
      requestedAt: integer().nullable(),
      outcome: text<RemovalOutcome>().nullable(),
      resolvedAt: integer().nullable(),
      resolvedBy: text().nullable(), // a role
    },
    hash: { codeHash: text().nullable() },
    indexes: ["CREATE INDEX removals_record ON removals (record) WHERE record IS NOT NULL"],
    bound: { limit: WRITES, kept: "14 days unproven, 90 days after their end" },
  }),
};

type Tables = typeof STATE_TABLES;

/** For the query builder: rows as they are stored. */
export type StateTables = {
  [Name in keyof Tables]: StoredRowOf<Tables[Name]["columns"], Generated<number>>;
};

export type Row<Name extends keyof Tables> = Selectable<StateTables[Name]>;

/** The columns of a table that may name a person. */
export function personalColumns({ marks }: Table<Columns>): string[] {
  return Object.keys(marks).filter((column) => marks[column] === "personal");
}

/** Null stands for all types. The stored form is sorted, so that the same choice is the same text. */
export function storedEventTypes(types: readonly EventType[] | null): string | null {
  return types === null ? null : JSON.stringify([...new Set(types)].sort());
}
