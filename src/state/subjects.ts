import { sql } from "kysely";
import { sha256Hex } from "../kernel/hash.ts";
import { mailboxesIn, mailboxOf } from "../kernel/text/contacts.ts";
import { isSuppressed } from "./delivery/emails.ts";
import { mailboxKey } from "./state-key.ts";
import { cutLog, inTransaction, type Store } from "./store.ts";
import { personalColumns, type Row, STATE_TABLES, type StateTables } from "./tables.ts";

/** All that the state has of one person, known by an email address: where it is searched, how it is erased. */

/** The tables with columns that may name a person. */
const SEARCHED = Object.values(STATE_TABLES).filter((table) => personalColumns(table).length > 0);

/** The rows that have an address of this mailbox in a personal column. The database narrows them to those with any address. */
async function mentions<Table extends keyof StateTables>(
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

export interface SubjectData {
  readonly mailbox: string;
  readonly requests: readonly Row<"subscription_requests">[];
  readonly subscriptions: readonly Row<"subscriptions">[]; // ended ones too
  readonly webhooks: readonly Row<"webhooks">[]; // of these subscriptions, or with the address in theirs
  readonly reports: readonly Row<"reports">[]; // sent with the address, or with it in their text
  readonly resolutions: readonly Row<"report_resolutions">[]; // of these reports, or with it in their note
  readonly partners: readonly Row<"partner_clients">[];
  readonly deliveries: readonly Row<"outbox">[]; // to any of these, or with it in their content
  readonly attempts: readonly Row<"delivery_attempts">[];
  readonly suppressed: boolean;
}

/** Names exactly what an erasure of this data deletes, so that it deletes nothing that nobody has read about. */
export function subjectCode(data: SubjectData): string {
  const ids = [
    data.requests.map(({ id }) => id),
    ...[data.subscriptions, data.webhooks, data.reports, data.partners].map((rows) => rows.map(idOf)),
    ...[data.resolutions, data.deliveries, data.attempts].map((rows) => rows.map(({ id }) => id)),
  ];
  const sorted = ids.map((list) => list.map(String).sort());
  return sha256Hex(JSON.stringify([data.mailbox, sorted])).slice(0, 12);
}

/** Whether an erasure would delete anything. */
export function isEmpty({ mailbox: _, suppressed: __, ...found }: SubjectData): boolean {
  return Object.values(found).every((rows) => rows.length === 0);
}

/** Rows without their address, too: ended subscriptions, and requests that were confirmed. */
async function addressed<Table extends "subscription_requests" | "subscriptions">(
  store: Store,
  table: Table,
  email: string,
): Promise<Row<Table>[]> {
  const hashed = await sql<Row<Table>>`
    select * from ${sql.table(table)} where mailbox_key = ${mailboxKey(store.keys, email)}`.execute(store.db);
  return [...hashed.rows, ...(await mentions(store, table, mailboxOf(email)))];
}

async function ownedBy({ db }: Store, subscriptions: readonly Identified[]): Promise<Row<"webhooks">[]> {
  if (subscriptions.length === 0) return [];
  return db
    .selectFrom("webhooks")
    .selectAll()
    .where("owner_kind", "=", "subscription")
    .where("owner_id", "in", subscriptions.map(idOf))
    .execute();
}

async function decidedAbout(
  { db }: Store,
  reports: readonly Identified[],
): Promise<Row<"report_resolutions">[]> {
  if (reports.length === 0) return [];
  return db
    .selectFrom("report_resolutions")
    .selectAll()
    .where("report_id", "in", reports.map(idOf))
    .where("note", "is not", null)
    .execute();
}

async function deliveredTo({ db }: Store, targets: readonly string[]): Promise<Row<"outbox">[]> {
  if (targets.length === 0) return [];
  return db.selectFrom("outbox").selectAll().where("target", "in", targets).execute();
}

interface Identified {
  readonly public_id: string;
}

function idOf({ public_id }: Identified): string {
  return public_id;
}

function distinct<T>(rows: readonly T[], idOf: (row: T) => string | number): T[] {
  return [...new Map(rows.map((row) => [idOf(row), row])).values()];
}

/**
 * Deletes it. Reports stay with their kind, times and outcome, because they are counted, and partner clients without their contact. The
 * suppression of the mailbox stays: it is what keeps email from it.
 */
async function eraseSubject(store: Store, data: SubjectData): Promise<void> {
  const { db } = store;
  for (const { id } of data.deliveries) await db.deleteFrom("outbox").where("id", "=", id).execute();
  for (const { id } of data.attempts)
    await db.updateTable("delivery_attempts").set({ error: null }).where("id", "=", id).execute();
  for (const { id } of data.requests)
    await db.deleteFrom("subscription_requests").where("id", "=", id).execute();
  for (const { public_id } of data.subscriptions)
    await db.deleteFrom("subscriptions").where("public_id", "=", public_id).execute();
  for (const { public_id } of data.webhooks)
    await db.deleteFrom("webhooks").where("public_id", "=", public_id).execute();
  for (const { public_id } of data.partners)
    await db
      .updateTable("partner_clients")
      .set({ contact_email: null })
      .where("public_id", "=", public_id)
      .execute();
  for (const report of data.reports) await eraseReport(store, report, data.mailbox);
  for (const { id } of data.resolutions)
    await db.updateTable("report_resolutions").set({ note: null }).where("id", "=", id).execute();
}

/** The address of somebody else who wrote about this person stays for the answer. */
async function eraseReport(
  { db }: Store,
  { public_id, email }: Row<"reports">,
  mailbox: string,
): Promise<void> {
  const isSender = email !== null && mailboxesIn(email).has(mailbox);
  await db
    .updateTable("reports")
    .set({ text: null, content_key: null, ...(isSender && { email: null }) })
    .where("public_id", "=", public_id)
    .execute();
}

export type SubjectErasure =
  | { readonly outcome: "erased"; readonly data: SubjectData }
  /** Something came or went since the code was printed. */
  | { readonly outcome: "changed" };

/** Answers people who ask what is stored about them, or want it deleted. */
export class Subjects {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The same for every address that reaches one mailbox. */
  async find(email: string): Promise<SubjectData> {
    const store = this.#store;
    const mailbox = mailboxOf(email);
    const requests = distinct(await addressed(store, "subscription_requests", email), ({ id }) => id);
    const subscriptions = distinct(await addressed(store, "subscriptions", email), idOf);
    const reports = await mentions(store, "reports", mailbox);
    const webhooks = distinct(
      [...(await mentions(store, "webhooks", mailbox)), ...(await ownedBy(store, subscriptions))],
      idOf,
    );
    const resolutions = distinct(
      [...(await mentions(store, "report_resolutions", mailbox)), ...(await decidedAbout(store, reports))],
      ({ id }) => id,
    );
    const targets = [...requests, ...subscriptions, ...reports, ...webhooks].map(idOf);
    const deliveries = distinct(
      [...(await mentions(store, "outbox", mailbox)), ...(await deliveredTo(store, targets))],
      ({ id }) => id,
    );
    return {
      mailbox,
      requests,
      subscriptions,
      webhooks,
      reports,
      resolutions,
      partners: await mentions(store, "partner_clients", mailbox),
      deliveries,
      attempts: await mentions(store, "delivery_attempts", mailbox),
      suppressed: await isSuppressed(store, email),
    };
  }

  /** Erases what the code names, all or nothing. Once it is erased, any code succeeds, so that a killed command can be repeated. */
  erase(email: string, code: string): Promise<SubjectErasure> {
    return inTransaction(this.#store, async (store) => {
      const data = await new Subjects(store).find(email);
      if (!isEmpty(data) && subjectCode(data) !== code) return { outcome: "changed" };
      await eraseSubject(store, data);
      return { outcome: "erased", data };
    });
  }

  /**
   * The end of an erasure: no page of the database keeps what was deleted from it. SQLite overwrites what is deleted (`secure_delete`), but not what it only moved within a page: the file is written anew, and the write-ahead
   * log is emptied. PostgreSQL keeps deleted rows until a table is written anew, which `VACUUM FULL` does; its own log and what was archived of
   * it are the operator's. Writers wait meanwhile. False when another process kept SQLite from emptying its log.
   */
  async compact(): Promise<boolean> {
    const store = this.#store;
    if (store.engine === "sqlite") {
      await cutLog(store);
      await sql`vacuum`.execute(store.db);
      return cutLog(store);
    }
    for (const { name } of SEARCHED) await sql`vacuum (full) ${sql.table(name)}`.execute(store.db);
    return true;
  }
}
