import type { AlertChannel, EventType, SubscriptionStatus } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { answerer } from "../../kernel/table.ts";
import { storedEventTypes } from "../event-type-list.ts";
import { addressKey, mailboxKey, type StateKeys } from "../state-key.ts";
import { type Row, STATE_TABLES } from "../tables.ts";

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

export type Subscription = Omit<ReturnType<typeof subscriptionOf>, "status" | "confirmedAt" | "updatedAt"> & {
  readonly status: SubscriptionStatus;
  readonly confirmedAt: number | null;
};

export const subscriptionOf = answerer(STATE_TABLES.subscriptions);
const requestOf = answerer(STATE_TABLES.subscription_requests);

export function pendingSubscriptionOf(row: Row<"subscription_requests">): Subscription {
  return { ...requestOf(row), status: "pending", statusReason: null, confirmedAt: null };
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
