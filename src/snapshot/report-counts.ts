import type { Database } from "better-sqlite3";
import { NO_REPORT_COUNTS, ReportCounts } from "../contract/service/status.ts";
import { reportReader, reportTable, writeReport } from "./report-table.ts";

export const reportCounts = reportTable("report_counts", ReportCounts, "counts");

/**
 * Stores the counts of reports and returns their SHA-256 (hex); null when nothing was measured. They are an input of the release
 * like the ledger.
 */
export function writeReportCounts(db: Database, counts: ReportCounts = NO_REPORT_COUNTS): string | null {
  return counts.reports_until === null ? null : writeReport(db, reportCounts, counts);
}

export function reportCountQueries(db: Database) {
  const stored = reportReader(db, reportCounts);
  /** All null when nothing was measured. */
  return { reportCounts: () => stored() ?? NO_REPORT_COUNTS };
}
