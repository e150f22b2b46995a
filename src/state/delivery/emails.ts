/**
 * Budgets of the emails that strangers may cause: somebody who subscribes or reports with an address need not be its owner. Counters hold keyed hashes,
 * and end with their 24 hours. Mailboxes that must not receive email are keyed hashes, too: the list does not reveal them.
 */

import { sql } from "kysely";
import { mailDomainOf } from "../../kernel/text/contacts.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { addressKey, mailboxKey } from "../state-key.ts";
import { affected, insertMany, inTransaction, SKIP_KNOWN, type Store } from "../store.ts";
import type { EmailBudget } from "../tables.ts";

/** Emails in 24 hours. */
export type EmailLimits = Readonly<Record<EmailBudget, number>>;

/** Why an address gets no email: its owner refused it, or a budget is used up. */
export type Withheld = "suppressed" | EmailBudget;

/** Decides whether an email that a stranger may have caused is sent. */
export class Emails {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes one email to this address from its budgets; undefined when it may be sent. */
  take(email: string, limits: EmailLimits): Promise<Withheld | undefined> {
    return inTransaction(this.#store, async (store) => {
      if (await isSuppressed(store, email)) return "suppressed";
      const holders = {
        domain: addressKey(store.keys, `@${mailDomainOf(email)}`),
        mailbox: mailboxKey(store.keys, email),
      };
      if (await isUsedUp(store, "domain", holders.domain, limits.domain)) return "domain";
      if (!(await take(store, "mailbox", holders.mailbox, limits.mailbox))) return "mailbox";
      return (await take(store, "domain", holders.domain, limits.domain)) ? undefined : "domain";
    });
  }

  /** Deletes the counters whose time is over; returns their number. */
  prune(): Promise<number> {
    const { db, clock } = this.#store;
    return affected(db.deleteFrom("email_budgets").where("started_at", "<=", clock() - DAY_MS));
  }
}

async function isUsedUp(
  { db, clock }: Store,
  budget: EmailBudget,
  holder: string,
  limit: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("email_budgets")
    .select("used")
    .where("budget", "=", budget)
    .where("holder_key", "=", holder)
    .where("started_at", ">", clock() - DAY_MS)
    .executeTakeFirst();
  return row !== undefined && row.used >= limit;
}

/** One statement, so that of two at the same time one cannot exceed the limit. */
async function take(
  { db, clock }: Store,
  budget: EmailBudget,
  holder: string,
  limit: number,
): Promise<boolean> {
  const now = clock();
  const over = now - DAY_MS;
  const { rows } = await sql`
    insert into email_budgets (budget, holder_key, started_at, used) values (${budget}, ${holder}, ${now}, 1)
    on conflict (budget, holder_key) do update set
      used = case when email_budgets.started_at <= ${over} then 1 else email_budgets.used + 1 end,
      started_at = case when email_budgets.started_at <= ${over} then ${now} else email_budgets.started_at end
    where email_budgets.started_at <= ${over} or email_budgets.used < ${limit}
    returning used`.execute(db);
  return rows.length > 0;
}

export async function isSuppressed(store: Store, email: string): Promise<boolean> {
  const row = await store.db
    .selectFrom("suppressed_addresses")
    .select("reason")
    .where("mailbox_key", "=", mailboxKey(store.keys, email))
    .executeTakeFirst();
  return row !== undefined;
}

/** The first reason stays. */
export async function suppressMailbox(store: Store, mailbox: string, reason: string): Promise<void> {
  const row = { mailboxKey: mailbox, reason, createdAt: store.clock() };
  await insertMany(store, "suppressed_addresses", [row], SKIP_KNOWN);
}
