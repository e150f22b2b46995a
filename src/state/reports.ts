import type { ExpressionBuilder } from "kysely";
import type { ReportOutcome } from "../contract/enums.ts";
import { REPORT_REPEAT_HOURS, REPORT_TEXT, REPORTS_KEPT_DAYS } from "../contract/limits.ts";
import type { ReportCounts } from "../contract/service/status.ts";
import { hmacSha256 } from "../kernel/hash.ts";
import { newPublicId } from "../kernel/ids.ts";
import { answerer } from "../kernel/table.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../kernel/time.ts";
import type { StateKeys } from "./state-key.ts";
import { affected, insertMany, inTransaction, lockName, type Store, storedText } from "./store.ts";
import { type Row, STATE_TABLES, type StateTables } from "./tables.ts";

const contentOf = answerer(STATE_TABLES.reports);
const resolutionOf = answerer(STATE_TABLES.report_resolutions);

export interface Report extends ReturnType<typeof contentOf> {
  /** In order; the last one counts. None: it is open. */
  readonly resolutions: readonly Resolved[];
}
export type Resolved = ReturnType<typeof resolutionOf>;
export type Resolution = Omit<Resolved, "id" | "reportId" | "resolvedAt">;

/** A reported problem, validated by the caller. */
export type NewReport = Omit<Report, "publicId" | "receivedAt" | "resolutions"> & { readonly text: string };

/** The dates and outcomes of a report, without its content. */
export interface ReportCourse {
  readonly receivedAt: number;
  readonly resolutions: readonly Pick<Resolved, "outcome" | "resolvedAt">[];
}

export function reportOf(row: Row<"reports">, resolutions: readonly Row<"report_resolutions">[]): Report {
  return { ...contentOf(row), resolutions: resolutions.map(resolutionOf) };
}

/** The same for the same report of the same person; keyed, because the text may be short enough to be guessed. */
export function contentKey(keys: StateKeys, { about, kind, text, email }: NewReport): string {
  const content = JSON.stringify([about, kind, text, email?.toLowerCase() ?? null]);
  return hmacSha256(keys.purposeKey("reports"), content).toString("hex");
}

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
      const row = { ...stored, email, publicId, contentKey: key, receivedAt: now };
      await insertMany(store, "reports", [row]);
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
      const note = resolution.note === null ? null : storedText(resolution.note, MAX_NOTE);
      const row = { ...resolution, note, reportId: publicId, resolvedAt: store.clock() };
      await insertMany(store, "report_resolutions", [row]);
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

  /** For ledger rows that are erased: deletes the parts of reports that concern them; returns the number of changed reports. */
  async forgetRows(rows: ReadonlySet<number>): Promise<number> {
    const reports = await aboutRows(this.#store);
    return forget(
      this.#store,
      reports.filter(({ about }) => rows.has(Number(about))),
    );
  }

  /** Deletes texts, notes and addresses of reports resolved long enough ago; returns the number of changed reports. */
  prune(): Promise<number> {
    return inTransaction(this.#store, async ({ db, clock }) => {
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
    const { db, clock } = this.#store;
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

/** Reports received in a span (ms, `until` exclusive), with their status at its end. Later resolutions do not count. */
export function countReports(
  reports: readonly ReportCourse[],
  { from, until }: { readonly from: number; readonly until: number },
): ReportCounts {
  const known = reports
    .filter(({ receivedAt }) => receivedAt < until)
    .map(({ receivedAt, resolutions }) => ({
      receivedAt,
      resolutions: resolutions.filter(({ resolvedAt }) => resolvedAt < until),
    }));
  const received = known.filter(({ receivedAt }) => receivedAt >= from);
  const of = (outcome: ReportOutcome | undefined) =>
    received.filter((report) => lastOf(report) === outcome).length;
  return {
    reports_from: isoTime(from),
    reports_until: isoTime(until),
    received: received.length,
    open: of(undefined),
    upheld: of("upheld"),
    not_upheld: of("not_upheld"),
    duplicate: of("duplicate"),
    withdrawn: of("withdrawn"),
    out_of_scope: of("out_of_scope"),
    open_from_before: known.filter((report) => report.receivedAt < from && lastOf(report) === undefined)
      .length,
    median_days_to_resolution: median(received.flatMap(daysToFirst)),
  };
}

function lastOf({ resolutions }: ReportCourse): ReportOutcome | undefined {
  return resolutions.at(-1)?.outcome;
}

function daysToFirst({ receivedAt, resolutions }: ReportCourse): number[] {
  const [first] = resolutions;
  return first === undefined ? [] : [Math.max(0, first.resolvedAt - receivedAt) / DAY_MS];
}

/** To a tenth: finer figures would say when a single report came. */
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : Math.round((low + high) * 5) / 10;
}

/**
 * What goes of a report, and when. The report itself stays with its kind, times and outcome, so that counts of days long gone are the same as they
 * were.
 */

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
