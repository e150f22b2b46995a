/**
 * What goes of a report, and when. The report itself stays with its kind, times and outcome, so that counts of days long gone are the same as they
 * were.
 */

import { REPORTS_KEPT_DAYS } from "../../contract/limits.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { inTransaction, type Store } from "../store.ts";

/** The columns about the record. The sender's address stays for the answer. */
const FORGOTTEN = { about: null, record: null, text: null, content_key: null } as const;
const PRUNED = { text: null, email: null, content_key: null } as const;

/** Deletes the parts of reports that concern an erased record; returns the number of changed reports. */
export async function forgetReportsOf(store: Store, record: string): Promise<number> {
  const rows = await store.db
    .selectFrom("reports")
    .select("public_id")
    .where("record", "=", record)
    .execute();
  return forget(store, rows);
}

/** The same for ledger rows that go. */
export async function forgetReportsAbout(store: Store, rows: ReadonlySet<number>): Promise<number> {
  const reports = await store.db
    .selectFrom("reports")
    .select(["public_id", "about"])
    .where("about", "is not", null)
    .where("record", "is", null)
    .execute();
  return forget(
    store,
    reports.filter(({ about }) => rows.has(Number(about))),
  );
}

/**
 * Points reports about ledger rows at the records of these rows, whose numbers change. `recordOf` gives a public id, or undefined where
 * the row belongs to no record. Returns the number of changed reports.
 */
export async function pointAtRecords(
  { db }: Store,
  recordOf: (row: number) => string | undefined,
): Promise<number> {
  const reports = await db
    .selectFrom("reports")
    .select(["public_id", "about"])
    .where("about", "is not", null)
    .where("record", "is", null)
    .execute();
  const known = reports.flatMap(({ public_id, about }) => {
    const record = recordOf(Number(about));
    return record === undefined ? [] : [{ public_id, record }];
  });
  for (const { public_id, record } of known)
    await db
      .updateTable("reports")
      .set({ about: record, record })
      .where("public_id", "=", public_id)
      .execute();
  return known.length;
}

function forget(open: Store, reports: readonly { readonly public_id: string }[]): Promise<number> {
  return inTransaction(open, async ({ db }) => {
    for (const { public_id } of reports) {
      await db.updateTable("reports").set(FORGOTTEN).where("public_id", "=", public_id).execute();
      await db
        .updateTable("report_resolutions")
        .set({ note: null })
        .where("report_id", "=", public_id)
        .execute();
    }
    return reports.length;
  });
}

/** Deletes texts, notes and addresses of reports resolved long enough ago; returns the number of changed reports. */
export function pruneReports(open: Store): Promise<number> {
  return inTransaction(open, async ({ db, clock }) => {
    const over = db
      .selectFrom("report_resolutions")
      .select("report_id")
      .groupBy("report_id")
      .having((resolution) => resolution.fn.max("resolved_at"), "<=", clock() - REPORTS_KEPT_DAYS * DAY_MS);
    await db
      .updateTable("report_resolutions")
      .set({ note: null })
      .where("note", "is not", null)
      .where("report_id", "in", over)
      .execute();
    const { numUpdatedRows } = await db
      .updateTable("reports")
      .set(PRUNED)
      .where("public_id", "in", over)
      .where((report) => report.or([report("text", "is not", null), report("email", "is not", null)]))
      .executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

/** The same for reports that nobody has decided about in so many days; they stay open and counted. */
export async function pruneOpenReports({ db, clock }: Store, days: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("reports")
    .set(PRUNED)
    .where("received_at", "<=", clock() - days * DAY_MS)
    .where("public_id", "not in", (query) => query.selectFrom("report_resolutions").select("report_id"))
    .where((report) => report.or([report("text", "is not", null), report("email", "is not", null)]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
