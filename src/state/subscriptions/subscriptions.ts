import { allowAddress, isSuppressed, suppressAddress } from "../emails/suppression.ts";
import { mailboxKey } from "../state-key.ts";
import { inTransaction, type Store } from "../store.ts";
import type { Row } from "../tables.ts";
import { endSubscription, pruneEnded, refuseEmail } from "./subscription-end.ts";
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

/** Alert subscriptions from the first request to the end. Addresses are private: no answer, log or error names one. */
export class Subscriptions {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** See subscription-requests.ts. */
  request(wish: SubscriptionWish, isMailed = true): Promise<SubscriptionAnswer> {
    return requestSubscription(this.#store, wish, isMailed);
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
  linkToken(purpose: Exclude<LinkPurpose, "never">, publicId: string): string {
    return linkToken(this.#store.keys, purpose, publicId);
  }

  /** The token of the link by which the owner of an address stops all email to its mailbox, for good. */
  neverToken(email: string): string {
    return linkToken(this.#store.keys, "never", mailboxKey(this.#store.keys, email));
  }

  /** See `refuseEmail` in subscription-end.ts. */
  refuseEmail(neverToken: string): Promise<boolean> {
    return refuseEmail(this.#store, neverToken);
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
    const publicId = this.#linked(token);
    if (publicId === undefined) return undefined;
    return inTransaction(this.#store, async (store) => {
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

  /** See subscription-end.ts. */
  pruneEnded(days: number): Promise<number> {
    return pruneEnded(this.#store, days);
  }

  #linked(token: string): string | undefined {
    const { keys } = this.#store;
    return readLinkToken(keys, "unsubscribe", token) ?? readLinkToken(keys, "manage", token);
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

type StatusChange = Pick<Row<"subscriptions">, "status" | "status_reason">;

/** Only a new confirmation brings back a subscription that has ended. */
async function update({ db, clock }: Store, publicId: string, change: StatusChange): Promise<void> {
  await db
    .updateTable("subscriptions")
    .set({ ...change, updated_at: clock() })
    .where("public_id", "=", publicId)
    .where("status", "!=", "unsubscribed")
    .execute();
}
