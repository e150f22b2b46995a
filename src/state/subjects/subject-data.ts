/** All that the state has of one person, known by an email address. */

import { sql } from "kysely";
import { sha256Hex } from "../../kernel/hash.ts";
import { mailboxOf } from "../../kernel/text/mailbox.ts";
import { isSuppressed } from "../delivery/emails.ts";
import { mailboxKey } from "../state-key.ts";
import type { Store } from "../store.ts";
import type { Row } from "../tables.ts";
import { mentions } from "./mentions.ts";

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

/** The same for every address that reaches one mailbox. */
export async function findSubject(store: Store, email: string): Promise<SubjectData> {
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
