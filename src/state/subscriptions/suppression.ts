/** Addresses that must not receive email, as keyed hashes: the list does not reveal them. */

import { addressKey } from "../state-key.ts";
import type { Store } from "../store.ts";

export async function isSuppressed({ db, keys }: Store, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("suppressed_addresses")
    .select("reason")
    .where("address_key", "=", addressKey(keys, email))
    .executeTakeFirst();
  return row !== undefined;
}

/** The first reason stays. */
export async function suppressAddress(
  { db, keys, clock }: Store,
  email: string,
  reason: string,
): Promise<void> {
  await db
    .insertInto("suppressed_addresses")
    .values({ address_key: addressKey(keys, email), reason, created_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function allowAddress({ db, keys }: Store, email: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("suppressed_addresses")
    .where("address_key", "=", addressKey(keys, email))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
