/** Where the state may name a person, and the search for one of them. */

import { sql } from "kysely";
import { mailboxesIn } from "../../kernel/text/mailbox.ts";
import type { Store } from "../store.ts";
import { personalColumns, type Row, STATE_TABLES, type StateTables } from "../tables.ts";

/** The tables with columns that may name a person. */
export const SEARCHED = Object.values(STATE_TABLES).filter((table) => personalColumns(table).length > 0);

/** The rows that have an address of this mailbox in a personal column. The database narrows them to those with any address. */
export async function mentions<Table extends keyof StateTables>(
  { db }: Store,
  table: Table,
  mailbox: string,
): Promise<Row<Table>[]> {
  const columns = personalColumns(STATE_TABLES[table]);
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
