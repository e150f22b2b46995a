import { z } from "zod";
import type { ReportOutcome } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";

const counted = (what: string) => Count.nullable().describe(what);

/**
 * Counts of reports in the days before a release, as of the end of these days. They identify no record. Like the ledger,
 * they are an input of the release and are published unchanged. All are null when nothing was measured.
 */
export const ReportCounts = z.object({
  reports_from: Timestamp.nullable().describe(
    "Start of a UTC day. Null, like the counts, when nothing was measured.",
  ),
  reports_until: Timestamp.nullable().describe(
    "End of the counted period. Later decisions are not included.",
  ),
  received: counted("Reports received in the period; the sum of the next six counts."),
  open: counted("Not yet decided at the end of the period."),
  upheld: counted("Checked and confirmed."),
  not_upheld: counted("Checked and not confirmed."),
  duplicate: counted("Duplicates of earlier reports."),
  withdrawn: counted("Withdrawn by the reporter."),
  out_of_scope: counted("Outside the scope of this service."),
  open_from_before: counted("Received before the period and not yet decided at its end."),
  median_days_to_resolution: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      "Time to the first decision, over reports received and decided in the period; null when there are none.",
    ),
} satisfies Record<ReportOutcome, z.ZodType> & Record<string, z.ZodType>);
export type ReportCounts = z.infer<typeof ReportCounts>;

export const NO_REPORT_COUNTS: ReportCounts = {
  reports_from: null,
  reports_until: null,
  received: null,
  open: null,
  upheld: null,
  not_upheld: null,
  duplicate: null,
  withdrawn: null,
  out_of_scope: null,
  open_from_before: null,
  median_days_to_resolution: null,
};
