import { REPORT_REPEAT_HOURS, REPORT_TEXT } from "../../contract/limits.ts";
import { newPublicId } from "../../kernel/ids.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { inTransaction, lockName, type Store, storedText } from "../store.ts";
import { forgetReportsAbout, pointAtRecords, pruneOpenReports, pruneReports } from "./report-erasure.ts";
import {
  contentKey,
  type NewReport,
  type Report,
  type ReportCourse,
  type Resolution,
  reportOf,
} from "./report-row.ts";

export type ResolveResult =
  | { readonly outcome: "resolved"; readonly report: Report }
  | { readonly outcome: "refused"; readonly report: Report } // it is not as the caller thought
  | { readonly outcome: "unknown" };

const REPEAT_MS = REPORT_REPEAT_HOURS * HOUR_MS;
const MAX_NOTE = 2000;

/** Problem reports from receipt to resolution. Text, note and address are private: no answer, log or error contains them. */
export class Reports {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the id. The same report, sent again within a day, is one. `mayEmail` is asked once, whether its address is kept for the answer. */
  file(report: NewReport, mayEmail: (email: string) => Promise<boolean> = async () => true): Promise<string> {
    return inTransaction(this.#store, async (store) => {
      const { db, clock, keys, random } = store;
      const now = clock();
      const stored = { ...report, text: storedText(report.text, REPORT_TEXT.max) };
      const key = contentKey(keys, stored);
      await lockName(store, `report ${key}`);
      const known = await db
        .selectFrom("reports")
        .select("public_id")
        .where("content_key", "=", key)
        .where("received_at", ">", now - REPEAT_MS)
        .executeTakeFirst();
      if (known !== undefined) return known.public_id;
      const publicId = newPublicId("rep", random);
      const email = stored.email !== null && (await mayEmail(stored.email)) ? stored.email : null;
      await db
        .insertInto("reports")
        .values({ ...stored, email, public_id: publicId, content_key: key, received_at: now })
        .execute();
      return publicId;
    });
  }

  async get(publicId: string): Promise<Report | undefined> {
    const { db } = this.#store;
    const rows = await db.selectFrom("reports").selectAll().where("public_id", "=", publicId).execute();
    const resolutions = await db
      .selectFrom("report_resolutions")
      .selectAll()
      .where("report_id", "=", publicId)
      .orderBy("id")
      .execute();
    return rows.map((row) => reportOf(row, resolutions))[0];
  }

  /** The longest waiting first. */
  async open(): Promise<Report[]> {
    const rows = await this.#store.db
      .selectFrom("reports")
      .selectAll()
      .where("public_id", "not in", (query) => query.selectFrom("report_resolutions").select("report_id"))
      .orderBy("received_at")
      .orderBy("public_id")
      .execute();
    return rows.map((row) => reportOf(row, []));
  }

  /** In the order in which they came. */
  async all(): Promise<Report[]> {
    const { db } = this.#store;
    const rows = await db
      .selectFrom("reports")
      .selectAll()
      .orderBy("received_at")
      .orderBy("public_id")
      .execute();
    const resolutions = await db.selectFrom("report_resolutions").selectAll().orderBy("id").execute();
    const byReport = Map.groupBy(resolutions, ({ report_id }) => report_id);
    return rows.map((row) => reportOf(row, byReport.get(row.public_id) ?? []));
  }

  /** For counting: of all reports, the private part of none. */
  async courses(): Promise<ReportCourse[]> {
    const { db } = this.#store;
    const reports = await db.selectFrom("reports").select(["public_id", "received_at"]).execute();
    const resolutions = await db
      .selectFrom("report_resolutions")
      .select(["report_id", "outcome", "resolved_at as resolvedAt"])
      .orderBy("id")
      .execute();
    const byReport = Map.groupBy(resolutions, ({ report_id }) => report_id);
    return reports.map(({ public_id, received_at }) => ({
      receivedAt: received_at,
      resolutions: byReport.get(public_id) ?? [],
    }));
  }

  /** `again`: the caller knows that the report is resolved. Of two simultaneous decisions the second is refused. */
  resolve(publicId: string, resolution: Resolution, again: boolean): Promise<ResolveResult> {
    return inTransaction(this.#store, async (store) => {
      await lockName(store, `report ${publicId}`);
      const reports = new Reports(store);
      const report = await reports.get(publicId);
      if (report === undefined) return { outcome: "unknown" };
      if (report.resolutions.length > 0 !== again) return { outcome: "refused", report };
      const { outcome, ledgerRow, resolvedBy, note } = resolution;
      await store.db
        .insertInto("report_resolutions")
        .values({
          report_id: publicId,
          outcome,
          ledger_row: ledgerRow,
          resolved_by: resolvedBy,
          note: note === null ? null : storedText(note, MAX_NOTE),
          resolved_at: store.clock(),
        })
        .execute();
      return { outcome: "resolved", report: (await reports.get(publicId)) ?? report };
    });
  }

  /** Since when there could be reports, in ms. */
  async since(): Promise<number> {
    const { created_at } = await this.#store.db
      .selectFrom("store")
      .select("created_at")
      .executeTakeFirstOrThrow();
    return created_at;
  }

  /** For ledger rows that are erased: see report-erasure.ts. */
  forgetRows(rows: ReadonlySet<number>): Promise<number> {
    return forgetReportsAbout(this.#store, rows);
  }

  /** For ledger rows that get new numbers: see report-erasure.ts. */
  pointAtRecords(recordOf: (row: number) => string | undefined): Promise<number> {
    return pointAtRecords(this.#store, recordOf);
  }

  prune(): Promise<number> {
    return pruneReports(this.#store);
  }

  /** See report-erasure.ts. */
  pruneOpen(days: number): Promise<number> {
    return pruneOpenReports(this.#store, days);
  }
}
