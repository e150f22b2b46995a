import { mailboxesIn } from "../../kernel/text/mailbox.ts";
import type { Store } from "../store.ts";
import type { Row } from "../tables.ts";
import type { SubjectData } from "./subject-data.ts";

/**
 * Deletes it. Reports stay with their kind, times and outcome, because they are counted, and partner clients without their contact. The
 * suppression of the mailbox stays: it is what keeps email from it.
 */
export async function eraseSubject(store: Store, data: SubjectData): Promise<void> {
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
