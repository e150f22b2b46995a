import { z } from "zod";
import type { ReportOutcome } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";

const counted = (what: string) => Count.nullable().describe(what);

/**
 * Reports of the days before a release, as they stood at the end of these days: counts alone, so that nothing in them leads to a record. An
 * input of the release like the ledger, and published as it is. All are null where nothing was measured.
 */
export const ReportCounts = z.object({
  reports_from: Timestamp.nullable().describe("Start of a UTC day. Null, like the counts: not measured."),
  reports_until: Timestamp.nullable().describe(
    "End of the counted time; what came of a report later is not in it.",
  ),
  received: counted("Reports received in that time; the sum of the six that follow."),
  open: counted("Of these, not decided at its end."),
  upheld: counted("Found to be right."),
  not_upheld: counted("Checked, and not found to be right."),
  duplicate: counted("Reported before."),
  withdrawn: counted("Taken back."),
  out_of_scope: counted("About something that is not decided here."),
  open_from_before: counted("Received before that time, and not decided at its end either."),
  median_days_to_resolution: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Of those received and decided, to the first decision; null while there is none."),
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
