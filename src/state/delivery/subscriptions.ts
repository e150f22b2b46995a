import { timingSafeEqual } from "node:crypto";
import type { EventType } from "../../contract/enums.ts";
import { hmacSha256 } from "../../kernel/hash.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { mailboxKey, type StateKeys } from "../state-key.ts";
import { affected, inTransaction, type Store } from "../store.ts";
import { type Row, storedEventTypes } from "../tables.ts";
import { isSuppressed, suppressMailbox } from "./emails.ts";
import { cancelDeliveries } from "./outbox.ts";
import { type Subscription, SubscriptionRequests, subscriptionOf } from "./subscription-requests.ts";
import { filterWebhooksOf, removeWebhooksOf } from "./webhooks.ts";

/** Alert subscriptions from the first request to the end. Addresses are private: no answer, log or error names one. */
export class Subscriptions extends SubscriptionRequests {
  async get(publicId: string): Promise<Subscription | undefined> {
    const row = await this.store.db
      .selectFrom("subscriptions")
      .selectAll()
      .where("public_id", "=", publicId)
      .executeTakeFirst();
    return row && subscriptionOf(row);
  }

  /** The active subscriptions, which events are matched to. */
  async active(): Promise<Subscription[]> {
    const rows = await this.store.db
      .selectFrom("subscriptions")
      .selectAll()
      .where("status", "=", "active")
      .orderBy("public_id")
      .execute();
    return rows.map(subscriptionOf);
  }

  /** The token of an emailed link. */
  linkToken(purpose: Exclude<LinkPurpose, "never">, publicId: string): string {
    return linkToken(this.store.keys, purpose, publicId);
  }

  /** The token of the link by which the owner of an address stops all email to its mailbox, for good. */
  neverToken(email: string): string {
    return linkToken(this.store.keys, "never", mailboxKey(this.store.keys, email));
  }

  /**
   * Stops all email to the mailbox of a `never` link for good: its subscriptions end, what waits for confirmation is deleted, and
   * later requests send it nothing. False for a token that was not made here.
   */
  async refuseEmail(neverToken: string): Promise<boolean> {
    const mailbox = readLinkToken(this.store.keys, "never", neverToken);
    if (mailbox === undefined) return false;
    await inTransaction(this.store, async (store) => {
      await suppressMailbox(store, mailbox, "owner");
      await forgetRequests(store, mailbox);
      for (const publicId of await subscriptionsOf(store, mailbox))
        await endSubscription(store, publicId, "refused");
    });
    return true;
  }

  async byManageToken(token: string): Promise<Subscription | undefined> {
    const publicId = readLinkToken(this.store.keys, "manage", token);
    return publicId === undefined ? undefined : this.get(publicId);
  }

  /** Undefined for an invalid token; an ended subscription stays ended. */
  pause(manageToken: string): Promise<Subscription | undefined> {
    return this.#switch(manageToken, { status: "paused", status_reason: "owner" });
  }

  /** As `pause`. */
  resume(manageToken: string): Promise<Subscription | undefined> {
    return this.#switch(manageToken, { status: "active", status_reason: null });
  }

  /** Sets what is sent from the next release on; what is undefined stays. Undefined for an invalid token. */
  change(
    manageToken: string,
    { eventTypes, minConfidence }: ChangedSettings,
  ): Promise<Subscription | undefined> {
    const publicId = readLinkToken(this.store.keys, "manage", manageToken);
    if (publicId === undefined) return Promise.resolve(undefined);
    return inTransaction(this.store, async (store) => {
      if (minConfidence !== undefined) await update(store, publicId, { min_confidence: minConfidence });
      if (eventTypes !== undefined) {
        await update(store, publicId, { event_types: storedEventTypes(eventTypes) });
        await filterWebhooksOf(store, { kind: "subscription", publicId }, eventTypes);
      }
      return new Subscriptions(store).get(publicId);
    });
  }

  /**
   * Ends the subscription, deletes its address, its endpoint and what waits to be sent. Takes a manage token as well as a one-click token, and once or more
   * often. Undefined for a token that is not good.
   */
  async unsubscribe(token: string): Promise<Subscription | undefined> {
    const publicId = this.#linked(token);
    if (publicId === undefined) return undefined;
    return inTransaction(this.store, async (store) => {
      await endSubscription(store, publicId, "owner");
      return new Subscriptions(store).get(publicId);
    });
  }

  /** Whether a link was good, even if its subscription has ended so long ago that nothing is left of it. */
  isUnsubscribeToken(token: string): boolean {
    return this.#linked(token) !== undefined;
  }

  /** Pauses a subscription whose email bounces. */
  async suspend(publicId: string, reason: string): Promise<void> {
    await update(this.store, publicId, { status: "paused", status_reason: reason });
  }

  /** Stops all email to an address, in any letter case, until it is allowed again. */
  suppress(email: string, reason: string): Promise<void> {
    return suppressMailbox(this.store, mailboxKey(this.store.keys, email), reason);
  }

  isSuppressed(email: string): Promise<boolean> {
    return isSuppressed(this.store, email);
  }

  /** False: it was not suppressed. */
  async allow(email: string): Promise<boolean> {
    const { db, keys } = this.store;
    const mailbox = mailboxKey(keys, email);
    return (await affected(db.deleteFrom("suppressed_addresses").where("mailbox_key", "=", mailbox))) > 0;
  }

  /** Deletes what is left of subscriptions that ended so many days ago; returns their number. Their links stay good, and do nothing. */
  pruneEnded(days: number): Promise<number> {
    const { db, clock } = this.store;
    return affected(
      db
        .deleteFrom("subscriptions")
        .where("status", "=", "unsubscribed")
        .where("updated_at", "<=", clock() - days * DAY_MS),
    );
  }

  #linked(token: string): string | undefined {
    const { keys } = this.store;
    return readLinkToken(keys, "unsubscribe", token) ?? readLinkToken(keys, "manage", token);
  }

  async #switch(manageToken: string, change: StatusChange): Promise<Subscription | undefined> {
    const publicId = readLinkToken(this.store.keys, "manage", manageToken);
    if (publicId === undefined) return undefined;
    await update(this.store, publicId, change);
    return this.get(publicId);
  }
}

type StatusChange = Pick<Row<"subscriptions">, "status" | "status_reason">;
type Change = Partial<StatusChange & Pick<Row<"subscriptions">, "event_types" | "min_confidence">>;

export interface ChangedSettings {
  readonly eventTypes?: readonly EventType[] | null | undefined; // null: all
  readonly minConfidence?: number | undefined;
}

/** Only a new confirmation brings back a subscription that has ended. */
async function update({ db, clock }: Store, publicId: string, change: Change): Promise<void> {
  await db
    .updateTable("subscriptions")
    .set({ ...change, updated_at: clock() })
    .where("public_id", "=", publicId)
    .where("status", "!=", "unsubscribed")
    .execute();
}

/** Deletes the address, the endpoint and what waits to be sent. Once or more often. */
async function endSubscription(store: Store, publicId: string, reason: string): Promise<void> {
  await cancelDeliveries(store, publicId, "unsubscribed");
  await removeWebhooksOf(store, { kind: "subscription", publicId }, "unsubscribed");
  await store.db
    .updateTable("subscriptions")
    .set({
      status: "unsubscribed",
      status_reason: reason,
      email: null,
      webhook_url: null,
      updated_at: store.clock(),
    })
    .where("public_id", "=", publicId)
    .where("status", "!=", "unsubscribed")
    .execute();
}

async function forgetRequests(store: Store, mailbox: string): Promise<void> {
  const requests = await store.db
    .deleteFrom("subscription_requests")
    .where("mailbox_key", "=", mailbox)
    .returning("public_id")
    .execute();
  for (const { public_id } of requests) await cancelDeliveries(store, public_id, "refused");
}

async function subscriptionsOf({ db }: Store, mailbox: string): Promise<string[]> {
  const rows = await db
    .selectFrom("subscriptions")
    .select("public_id")
    .where("status", "!=", "unsubscribed")
    .where("mailbox_key", "=", mailbox)
    .execute();
  return rows.map(({ public_id }) => public_id);
}

/** The purpose of an emailed link: the manage page, one-click unsubscribe (RFC 8058), or no more email at all. */
export type LinkPurpose = "manage" | "unsubscribe" | "never";

/**
 * `<public id>.<MAC>`: made again for every mail and stored nowhere. It is good as long as the subscription, since a link to
 * unsubscribe has to work in old mails, too; after a rotation of the key, until the next one. For the purpose `never` the mailbox's
 * keyed hash takes the place of the id.
 */
export function linkToken(keys: StateKeys, purpose: LinkPurpose, publicId: string): string {
  return tokenBy(keys.purposeKey(purpose), publicId);
}

function tokenBy(key: Buffer, publicId: string): string {
  return `${publicId}.${hmacSha256(key, publicId).toString("base64url")}`;
}

/** The subscription's public id, or undefined for a token that was not made here for this purpose. */
export function readLinkToken(keys: StateKeys, purpose: LinkPurpose, token: string): string | undefined {
  const publicId = token.slice(0, Math.max(0, token.indexOf(".")));
  const previous = keys.previousKey(purpose);
  const right = [keys.purposeKey(purpose), ...(previous === undefined ? [] : [previous])];
  return right.some((key) => isSame(token, tokenBy(key, publicId))) ? publicId : undefined;
}

function isSame(token: string, expected: string): boolean {
  const [given, right] = [Buffer.from(token), Buffer.from(expected)];
  return given.length === right.length && timingSafeEqual(given, right);
}
