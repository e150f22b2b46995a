/**
 * What goes of a report, and when. The report itself stays with its kind, times and outcome, so that counts of days long gone are the same as they
 * were.
 */

import type { ExpressionBuilder } from "kysely";
import { REPORTS_KEPT_DAYS } from "../../contract/limits.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { affected, inTransaction, type Store } from "../store.ts";
import type { StateTables } from "../tables.ts";

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

/** What becomes of reports as time goes by and rows go. */
export class ReportErasure {
  protected readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** For ledger rows that are erased: deletes the parts of reports that concern them; returns the number of changed reports. */
  async forgetRows(rows: ReadonlySet<number>): Promise<number> {
    const reports = await aboutRows(this.store);
    return forget(
      this.store,
      reports.filter(({ about }) => rows.has(Number(about))),
    );
  }

  /**
   * Points reports about ledger rows at the records of these rows, whose numbers change. `recordOf` gives a public id, or undefined where
   * the row belongs to no record. Returns the number of changed reports.
   */
  async pointAtRecords(recordOf: (row: number) => string | undefined): Promise<number> {
    let changed = 0;
    for (const { public_id, about } of await aboutRows(this.store)) {
      const record = recordOf(Number(about));
      if (record === undefined) continue;
      const report = this.store.db.updateTable("reports").where("public_id", "=", public_id);
      await report.set({ about: record, record }).execute();
      changed += 1;
    }
    return changed;
  }

  /** Deletes texts, notes and addresses of reports resolved long enough ago; returns the number of changed reports. */
  prune(): Promise<number> {
    return inTransaction(this.store, async ({ db, clock }) => {
      const oldest = clock() - REPORTS_KEPT_DAYS * DAY_MS;
      const over = db
        .selectFrom("report_resolutions")
        .select("report_id")
        .groupBy("report_id")
        .having((resolution) => resolution.fn.max("resolved_at"), "<=", oldest);
      await db
        .updateTable("report_resolutions")
        .set({ note: null })
        .where("note", "is not", null)
        .where("report_id", "in", over)
        .execute();
      return affected(db.updateTable("reports").set(PRUNED).where("public_id", "in", over).where(hasContent));
    });
  }

  /** The same for reports that nobody has decided about in so many days; they stay open and counted. */
  pruneOpen(days: number): Promise<number> {
    const { db, clock } = this.store;
    return affected(
      db
        .updateTable("reports")
        .set(PRUNED)
        .where("received_at", "<=", clock() - days * DAY_MS)
        .where("public_id", "not in", (query) => query.selectFrom("report_resolutions").select("report_id"))
        .where(hasContent),
    );
  }
}

function hasContent(report: ExpressionBuilder<StateTables, "reports">) {
  return report.or([report("text", "is not", null), report("email", "is not", null)]);
}

/** Reports about a row of the ledger that belongs to no record that is known. */
function aboutRows({ db }: Store) {
  return db
    .selectFrom("reports")
    .select(["public_id", "about"])
    .where("about", "is not", null)
    .where("record", "is", null)
    .execute();
}
