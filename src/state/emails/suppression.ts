/** Mailboxes that must not receive email, as keyed hashes: the list does not reveal them. */

import { addressKey, mailboxKey } from "../state-key.ts";
import type { Store } from "../store.ts";

/** Earlier versions listed addresses as they were written, so both forms are looked up. */
function keysOf({ keys }: Store, email: string): [mailbox: string, address: string] {
  return [mailboxKey(keys, email), addressKey(keys, email)];
}

export async function isSuppressed(store: Store, email: string): Promise<boolean> {
  const row = await store.db
    .selectFrom("suppressed_addresses")
    .select("reason")
    .where("address_key", "in", keysOf(store, email))
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
    .values({ address_key: mailbox, reason, created_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function allowAddress(store: Store, email: string): Promise<boolean> {
  const { numDeletedRows } = await store.db
    .deleteFrom("suppressed_addresses")
    .where("address_key", "in", keysOf(store, email))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
