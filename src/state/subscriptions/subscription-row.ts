import type { AlertChannel, EventType, SubscriptionStatus } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { readEventTypes, storedEventTypes } from "../event-type-list.ts";
import { addressKey, mailboxKey, type StateKeys } from "../state-key.ts";
import type { Row } from "../tables.ts";

/** A requested subscription, validated by the caller. */
export interface SubscriptionWish {
  readonly email: string;
  readonly city: string;
  readonly channel: AlertChannel;
  readonly entityPublicId: string | null;
  readonly industryCode: string | null;
  readonly eventTypes: readonly EventType[] | null; // null: all
  readonly minConfidence: number;
  readonly webhookUrl: string | null;
}

export interface Subscription extends Omit<SubscriptionWish, "email"> {
  readonly publicId: string;
  readonly email: string | null; // null once unsubscribed
  readonly status: SubscriptionStatus;
  readonly statusReason: string | null;
  readonly createdAt: number;
  readonly confirmedAt: number | null;
}

/** The columns that requests and subscriptions share. */
export function wishColumns(keys: StateKeys, wish: SubscriptionWish) {
  const address = addressKey(keys, wish.email);
  const { city, channel, entityPublicId, industryCode } = wish;
  return {
    mailbox_key: mailboxKey(keys, wish.email),
    scope_key: sha256Hex(JSON.stringify([address, city, channel, entityPublicId, industryCode])),
    email: wish.email,
    city,
    channel,
    entity_public_id: entityPublicId,
    industry_code: industryCode,
    event_types: storedEventTypes(wish.eventTypes),
    min_confidence: wish.minConfidence,
    webhook_url: wish.webhookUrl,
  };
}

export function subscriptionOf(row: Row<"subscriptions">): Subscription {
  return {
    ...sharedFields(row),
    status: row.status,
    statusReason: row.status_reason,
    confirmedAt: row.confirmed_at,
  };
}

export function pendingSubscriptionOf(row: Row<"subscription_requests">): Subscription {
  return { ...sharedFields(row), status: "pending", statusReason: null, confirmedAt: null };
}

function sharedFields(row: Row<"subscriptions"> | Row<"subscription_requests">) {
  return {
    publicId: row.public_id,
    email: row.email,
    city: row.city,
    channel: row.channel,
    entityPublicId: row.entity_public_id,
    industryCode: row.industry_code,
    eventTypes: readEventTypes(row.event_types),
    minConfidence: row.min_confidence,
    webhookUrl: row.webhook_url,
    createdAt: row.created_at,
  };
}
