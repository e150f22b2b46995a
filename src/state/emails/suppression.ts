/** Mailboxes that must not receive email, as keyed hashes: the list does not reveal them. */

import { mailboxKey } from "../state-key.ts";
import type { Store } from "../store.ts";

export async function isSuppressed(store: Store, email: string): Promise<boolean> {
  const row = await store.db
    .selectFrom("suppressed_addresses")
    .select("reason")
    .where("mailbox_key", "=", mailboxKey(store.keys, email))
    .executeTakeFirst();
  return row !== undefined;
}

export function suppressAddress(store: Store, email: string, reason: string): Promise<void> {
  return suppressMailbox(store, mailboxKey(store.keys, email), reason);
}

/** The first reason stays. */
export async function suppressMailbox({ db, clock }: Store, mailbox: string, reason: string): Promise<void> {
  await db
    .insertInto("suppressed_addresses")
    .values({ mailbox_key: mailbox, reason, created_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function allowAddress(store: Store, email: string): Promise<boolean> {
  const { numDeletedRows } = await store.db
    .deleteFrom("suppressed_addresses")
    .where("mailbox_key", "=", mailboxKey(store.keys, email))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
