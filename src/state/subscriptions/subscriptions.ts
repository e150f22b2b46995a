import { cancelDeliveries } from "../outbox/outbox-items.ts";
import { inTransaction, type Store } from "../store.ts";
import type { Row } from "../tables.ts";
import { removeWebhooksOf } from "../webhooks/webhook-row.ts";
import { type LinkPurpose, linkToken, readLinkToken } from "./subscription-links.ts";
import {
  type Confirmation,
  confirmRequest,
  lookUpRequest,
  pruneRequests,
  type RequestLookup,
  requestSubscription,
  type SubscriptionAnswer,
} from "./subscription-requests.ts";
import { type Subscription, type SubscriptionWish, subscriptionOf } from "./subscription-row.ts";
import { allowAddress, isSuppressed, suppressAddress } from "./suppression.ts";

/** Alert subscriptions from the first request to the end. Addresses are private: no answer, log or error names one. */
export class Subscriptions {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  request(wish: SubscriptionWish): Promise<SubscriptionAnswer> {
    return requestSubscription(this.#store, wish);
  }

  /** Looks up a confirmation link for its page, without changing anything. */
  byConfirmationToken(token: string): Promise<RequestLookup> {
    return lookUpRequest(this.#store, token);
  }

  confirm(token: string): Promise<Confirmation> {
    return confirmRequest(this.#store, token);
  }

  get(publicId: string): Promise<Subscription | undefined> {
    return this.#find(publicId);
  }

  /** The active subscriptions, which events are matched to. */
  async active(): Promise<Subscription[]> {
    const rows = await this.#store.db
      .selectFrom("subscriptions")
      .selectAll()
      .where("status", "=", "active")
      .orderBy("public_id")
      .execute();
    return rows.map(subscriptionOf);
  }

  /** The token of an emailed link. */
  linkToken(purpose: LinkPurpose, publicId: string): string {
    return linkToken(this.#store.keys, purpose, publicId);
  }

  async byManageToken(token: string): Promise<Subscription | undefined> {
    const publicId = readLinkToken(this.#store.keys, "manage", token);
    return publicId === undefined ? undefined : this.#find(publicId);
  }

  /** Undefined for an invalid token; an ended subscription stays ended. */
  pause(manageToken: string): Promise<Subscription | undefined> {
    return this.#switch(manageToken, { status: "paused", status_reason: "owner" });
  }

  /** As `pause`. */
  resume(manageToken: string): Promise<Subscription | undefined> {
    return this.#switch(manageToken, { status: "active", status_reason: null });
  }

  /**
   * Ends the subscription, deletes its address, its endpoint and what waits to be sent. Takes a manage token as well as a one-click token, and once or more
   * often. Undefined for a token that is not good.
   */
  async unsubscribe(token: string): Promise<Subscription | undefined> {
    const { keys } = this.#store;
    const publicId = readLinkToken(keys, "unsubscribe", token) ?? readLinkToken(keys, "manage", token);
    if (publicId === undefined) return undefined;
    return inTransaction(this.#store, async (store) => {
      await cancelDeliveries(store, publicId, "unsubscribed");
      await removeWebhooksOf(store, { kind: "subscription", publicId }, "unsubscribed");
      const nothing = { email: null, webhook_url: null };
      await update(store, publicId, { status: "unsubscribed", status_reason: "owner", ...nothing });
      return new Subscriptions(store).get(publicId);
    });
  }

  /** Pauses a subscription whose email bounces. */
  async suspend(publicId: string, reason: string): Promise<void> {
    await update(this.#store, publicId, { status: "paused", status_reason: reason });
  }

  /** Stops all email to an address, in any letter case, until it is allowed again. */
  suppress(email: string, reason: string): Promise<void> {
    return suppressAddress(this.#store, email, reason);
  }

  isSuppressed(email: string): Promise<boolean> {
    return isSuppressed(this.#store, email);
  }

  /** False: it was not suppressed. */
  allow(email: string): Promise<boolean> {
    return allowAddress(this.#store, email);
  }

  prune(): Promise<number> {
    return pruneRequests(this.#store);
  }

  async #switch(manageToken: string, change: StatusChange): Promise<Subscription | undefined> {
    const publicId = readLinkToken(this.#store.keys, "manage", manageToken);
    if (publicId === undefined) return undefined;
    await update(this.#store, publicId, change);
    return this.#find(publicId);
  }

  async #find(publicId: string): Promise<Subscription | undefined> {
    const row = await this.#store.db
      .selectFrom("subscriptions")
      .selectAll()
      .where("public_id", "=", publicId)
      .executeTakeFirst();
    return row && subscriptionOf(row);
  }
}

type StatusChange = Partial<Pick<Row<"subscriptions">, "status" | "status_reason" | "email" | "webhook_url">>;

/** Only a new confirmation brings back a subscription that has ended. */
async function update({ db, clock }: Store, publicId: string, change: StatusChange): Promise<void> {
  await db
    .updateTable("subscriptions")
    .set({ ...change, updated_at: clock() })
    .where("public_id", "=", publicId)
    .where("status", "!=", "unsubscribed")
    .execute();
}
