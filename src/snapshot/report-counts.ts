import type { Database } from "better-sqlite3";
import { NO_REPORT_COUNTS, ReportCounts } from "../contract/service/report-counts.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";
import { inserter } from "./write/inserter.ts";

/**
 * Stores what the state counted of reports, and returns its SHA-256 (hex); null when nothing was measured. It is an input of the release like the
 * ledger.
 */
export function writeReportCounts(db: Database, counts: ReportCounts = NO_REPORT_COUNTS): string | null {
  if (counts.reports_until === null) return null;
  const text = canonicalJson(ReportCounts.parse(counts));
  inserter(db, "report_counts")([text]);
  return sha256Hex(text);
}

export interface ReportCountQueries {
  /** All null when nothing was measured. */
  reportCounts(): ReportCounts;
}

export function reportCountQueries(db: Database): ReportCountQueries {
  const stored = db.prepare<[], string>("SELECT counts FROM report_counts").pluck();
  return {
    reportCounts() {
      const counts = stored.get();
      return counts === undefined ? NO_REPORT_COUNTS : ReportCounts.parse(JSON.parse(counts));
    },
  };
}
