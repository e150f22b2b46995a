/**
 * Double opt-in. Whoever asks learns nothing about the address: the answer depends on what was asked for it in the last 48 hours, confirmed or not,
 * and on nothing else, not even on whether an email is sent. Each request has a token of its own, so that a link confirms what its mail says and not what somebody asked later.
 */

import type { AlertChannel, EventType, SubscriptionStatus } from "../../contract/enums.ts";
import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { newPublicId } from "../../kernel/ids.ts";
import { answerer } from "../../kernel/table.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { addressKey, mailboxKey, type StateKeys } from "../state-key.ts";
import { affected, inTransaction, lockName, type Store } from "../store.ts";
import { type Row, STATE_TABLES, storedEventTypes } from "../tables.ts";
import { NOTHING_LEFT } from "./outbox.ts";

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

function pendingSubscriptionOf(row: Row<"subscription_requests">): Subscription {
  return { ...requestOf(row), status: "pending", statusReason: null, confirmedAt: null };
}

/** The columns that requests and subscriptions share. */
function wishColumns(keys: StateKeys, wish: SubscriptionWish) {
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

export interface SubscriptionAnswer {
  readonly publicId: string;
  readonly created: boolean; // false: asked for before in the last 48 hours
  readonly token: string; // for the email
}

export type Confirmation =
  | { readonly outcome: "confirmed" | "confirmed_before"; readonly subscription: Subscription }
  | { readonly outcome: "unknown" | "expired" | "used" };

export type RequestLookup =
  | { readonly outcome: "pending"; readonly subscription: Subscription }
  | { readonly outcome: "unknown" | "expired" | "used" };

const TOKEN_BYTES = 32;
const VALID_MS = CONFIRMATION_HOURS * HOUR_MS;

/** Requests for subscriptions, until they are confirmed. */
export class SubscriptionRequests {
  protected readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** `isMailed`: its email will be sent. If not, the request is stored for later answers alone, without what names a person. */
  request(wish: SubscriptionWish, isMailed = true): Promise<SubscriptionAnswer> {
    return inTransaction(this.store, async (store) => {
      const { db, clock, keys, random } = store;
      const now = clock();
      const columns = wishColumns(keys, wish);
      await lockName(store, `requests of ${columns.scope_key}`);
      const earlier = await recentRequest(store, columns.scope_key, now);
      const publicId = earlier?.public_id ?? newPublicId("sub", random);
      const token = random(TOKEN_BYTES).toString("base64url");
      const times = { created_at: now, expires_at: now + VALID_MS, used_at: null };
      await db
        .insertInto("subscription_requests")
        .values({
          ...columns,
          ...(!isMailed && NAMELESS),
          ...times,
          public_id: publicId,
          token_hash: sha256Hex(token),
        })
        .execute();
      return { publicId, created: earlier === undefined, token };
    });
  }

  /** Looks a token up without using it: link scanners follow every link of an email. */
  async byConfirmationToken(token: string): Promise<RequestLookup> {
    const { db, clock } = this.store;
    const row = await db
      .selectFrom("subscription_requests")
      .selectAll()
      .where("token_hash", "=", sha256Hex(token))
      .executeTakeFirst();
    if (row === undefined) return { outcome: "unknown" };
    if (row.used_at !== null) return { outcome: "used" };
    if (row.expires_at <= clock()) return { outcome: "expired" };
    return { outcome: "pending", subscription: pendingSubscriptionOf(row) };
  }

  /**
   * Uses the token. Of two that come at once one wins; the other requests for the same scope are void. A token that comes again is told so while
   * the subscription stands as its email said: whoever lost the first answer may ask again.
   */
  confirm(token: string): Promise<Confirmation> {
    return inTransaction(this.store, async (store) => {
      const now = store.clock();
      const request = await store.db
        .updateTable("subscription_requests")
        .set({ used_at: now })
        .where("token_hash", "=", sha256Hex(token))
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .returningAll()
        .executeTakeFirst();
      if (request === undefined) return confirmedBefore(store, token);
      await lockName(store, `subscription ${request.scope_key}`);
      await store.db
        .updateTable("subscription_requests")
        .set({ used_at: now, email: "" })
        .where("scope_key", "=", request.scope_key)
        .execute();
      return { outcome: "confirmed", subscription: await activate(store, request, now) };
    });
  }

  /** Deletes expired requests with their addresses and unsent emails; returns their number. */
  prune(): Promise<number> {
    return inTransaction(this.store, async ({ db, clock }) => {
      const now = clock();
      await db
        .updateTable("outbox")
        .set({ state: "dead", due_at: null, last_error: "expired", finished_at: now, payload: NOTHING_LEFT })
        .where("due_at", "is not", null)
        .where("target", "in", (query) =>
          query
            .selectFrom("subscription_requests")
            .select("public_id")
            .where("created_at", "<=", now - VALID_MS),
        )
        .where("target", "not in", (query) => query.selectFrom("subscriptions").select("public_id"))
        .execute();
      return affected(db.deleteFrom("subscription_requests").where("created_at", "<=", now - VALID_MS));
    });
  }
}

const NAMELESS = { email: "", webhook_url: null };

function recentRequest({ db }: Store, scopeKey: string, now: number) {
  return db
    .selectFrom("subscription_requests")
    .select("public_id")
    .where("scope_key", "=", scopeKey)
    .where("created_at", ">", now - VALID_MS)
    .orderBy("created_at")
    .orderBy("id")
    .executeTakeFirst();
}

async function confirmedBefore(store: Store, token: string): Promise<Confirmation> {
  const lookup = await new SubscriptionRequests(store).byConfirmationToken(token);
  if (lookup.outcome === "pending") throw new Error("a pending request was not confirmed");
  if (lookup.outcome !== "used") return lookup;
  const standing = await store.db
    .selectFrom("subscription_requests as request")
    .innerJoin("subscriptions as standing", (join) =>
      join
        .onRef("standing.scope_key", "=", "request.scope_key")
        .onRef("standing.min_confidence", "=", "request.min_confidence"),
    )
    .where("request.token_hash", "=", sha256Hex(token))
    .where("standing.status", "!=", "unsubscribed")
    .selectAll("standing")
    .select(["request.event_types as asked_types", "request.webhook_url as asked_url"])
    .executeTakeFirst();
  if (standing === undefined) return lookup;
  const { asked_types, asked_url, ...row } = standing;
  const isAsAsked = asked_types === row.event_types && asked_url === row.webhook_url;
  return isAsAsked ? { outcome: "confirmed_before", subscription: subscriptionOf(row) } : lookup;
}

/** A subscription of the same scope keeps its public id, so that links in earlier emails keep working. */
async function activate(
  { db }: Store,
  request: Row<"subscription_requests">,
  now: number,
): Promise<Subscription> {
  const { id: _, token_hash, expires_at, used_at, created_at, ...wish } = request;
  const active = { status: "active", status_reason: null, confirmed_at: now, updated_at: now } as const;
  const { public_id, ...settings } = wish;
  const known = await db
    .updateTable("subscriptions")
    .set({ ...settings, ...active })
    .where("scope_key", "=", wish.scope_key)
    .returningAll()
    .executeTakeFirst();
  if (known !== undefined) return subscriptionOf(known);
  const row = { public_id, ...settings, ...active, created_at: now };
  await db.insertInto("subscriptions").values(row).execute();
  return subscriptionOf(row);
}
