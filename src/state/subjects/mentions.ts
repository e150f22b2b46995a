/** Where the state may name a person, and the search for one of them. */

import { sql } from "kysely";
import { mailboxesIn } from "../../kernel/text/mailbox.ts";
import type { Store } from "../store.ts";
import type { Row, StateTables } from "../tables.ts";

/** Every column that is marked as personal (tables.ts); a test compares the two. */
export const SEARCHED = {
  subscription_requests: ["email", "webhook_url"],
  subscriptions: ["email", "webhook_url"],
  webhooks: ["endpoint_url"],
  reports: ["text", "email"],
  report_resolutions: ["note"],
  partner_clients: ["contact_email"],
  outbox: ["payload", "last_error"],
  delivery_attempts: ["error"],
} as const satisfies { readonly [Table in keyof StateTables]?: readonly (keyof Row<Table>)[] };

type Searched = keyof typeof SEARCHED;

/** The rows that have an address of this mailbox in a personal column. The database narrows them to those with any address. */
export async function mentions<Table extends Searched>(
  { db }: Store,
  table: Table,
  mailbox: string,
): Promise<Row<Table>[]> {
  const columns: readonly string[] = SEARCHED[table];
  const hasAddress = sql.join(
    columns.map(
      (column) => sql`${sql.ref(column)} like '%@%' or ${sql.ref(column)} like '%!%40%' escape '!'`,
    ),
    sql` or `,
  );
  const { rows } = await sql<Row<Table>>`select * from ${sql.table(table)} where ${hasAddress}`.execute(db);
  return rows.filter((row) => namesMailbox(row, columns, mailbox));
}

function namesMailbox(row: object, columns: readonly string[], mailbox: string): boolean {
  return Object.entries(row).some(
    ([column, value]) =>
      columns.includes(column) && typeof value === "string" && mailboxesIn(value).has(mailbox),
  );
}
