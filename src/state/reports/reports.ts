import type { ReportOutcome } from "../../contract/enums.ts";
import { REPORT_REPEAT_HOURS, REPORT_TEXT } from "../../contract/limits.ts";
import type { ReportCounts } from "../../contract/service/status.ts";
import { hmacSha256 } from "../../kernel/hash.ts";
import { newPublicId } from "../../kernel/ids.ts";
import { answerer } from "../../kernel/table.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../kernel/time.ts";
import type { StateKeys } from "../state-key.ts";
import { insertMany, inTransaction, lockName, storedText } from "../store.ts";
import { type Row, STATE_TABLES } from "../tables.ts";
import { ReportErasure } from "./report-erasure.ts";

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
export class Reports extends ReportErasure {
  /** Returns the id. The same report, sent again within a day, is one. `mayEmail` is asked once, whether its address is kept for the answer. */
  file(report: NewReport, mayEmail: (email: string) => Promise<boolean> = async () => true): Promise<string> {
    return inTransaction(this.store, async (store) => {
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
    const { db } = this.store;
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
    const rows = await this.store.db
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
    const { db } = this.store;
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
    const { db } = this.store;
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
    return inTransaction(this.store, async (store) => {
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
    const { created_at } = await this.store.db
      .selectFrom("store")
      .select("created_at")
      .executeTakeFirstOrThrow();
    return created_at;
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
