import { z } from "zod";
import { ReportKind, ReportOutcome, ReportStatus } from "../enums.ts";
import { Timestamp } from "../fields.ts";
import { MAX_QUERY_TEXT, REPORT_TEXT } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EmailAddress } from "./alerts.ts";

/** Labels of the kinds of problem, for the form and the review desk. */
export const REPORT_KIND_WORDS: Readonly<Record<ReportKind, string>> = {
  wrong_name: "The name is wrong.",
  wrong_place: "The place is wrong.",
  wrong_industry: "The industry is wrong.",
  wrong_match: "Different businesses are mixed up, or one is listed twice.",
  not_there: "The sign or vehicle is no longer there.",
  not_genuine: "An observation is not genuine.",
  online_presence: "The online presence is wrong.",
  privacy: "It shows something private or should not be listed.",
  other: "Something else.",
};

/** Outcome of a report, as shown to its sender. */
export const REPORT_OUTCOME_WORDS: Readonly<Record<ReportOutcome, string>> = {
  upheld: "The report was checked and confirmed.",
  not_upheld:
    "The report was checked and not confirmed: the published data is right, or could not be shown to be wrong.",
  duplicate: "The same problem was reported earlier; the earlier report counts.",
  withdrawn: "The report was withdrawn.",
  out_of_scope: "The report concerns something that this service does not decide.",
};

/** Status text of an open report. */
export const REPORT_OPEN_WORDS = "The report is stored and awaits a decision.";

const text = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? "is required" : "must be a string",
};

const { min, max } = REPORT_TEXT;

/** Honeypot field: hidden from people, so only programs fill it in. */
export const REPORT_TRAP = "topic";

/** Request body of `POST /api/v1/reports`. */
export const ReportRequest = z
  .strictObject({
    about: z
      .string("must be a string")
      .trim()
      .max(MAX_QUERY_TEXT, `must be at most ${MAX_QUERY_TEXT} characters long`)
      .optional()
      .describe(
        "Public id of a Presence Record or an asset, URL of a record's page, or number of a ledger row. Omit it for anything else.",
      ),
    kind: z
      .enum(ReportKind.options, `must be one of ${ReportKind.options.join(", ")}`)
      .describe("Kind of problem."),
    text: z
      .string(text)
      .overwrite((written) => written.replace(/\r\n?/g, "\n").trim())
      .min(min, `must be at least ${min} characters long`)
      .max(max, `must be at most ${max} characters long`)
      .regex(/[\p{L}\p{N}]/u, "must contain words")
      .describe("Description of the problem and how to check it. Never published."),
    email: EmailAddress.optional().describe("Address for one email with the decision. Never published."),
  })
  .meta({ id: "ReportRequest", description: "A report of a problem with published data." });
export type ReportRequest = z.infer<typeof ReportRequest>;

const report_id = z.string().describe("Returned only to the sender. Use it to look up the outcome.");

export const ReportReceipt = z
  .looseObject({
    schema: z.literal(SCHEMA.problemReport),
    ok: z.boolean(),
    report: z.looseObject({
      report_id,
      kind: ReportKind,
      about: z.string().nullable(),
      status: ReportStatus,
    }),
    next: z.string().describe("Next steps."),
  })
  .meta({ id: "ReportReceipt", description: "Receipt for a stored report." });
export type ReportReceipt = z.infer<typeof ReportReceipt>;

/** A report as shown to the holder of its id, without its text and email address. */
export const ReportView = z
  .looseObject({
    schema: z.literal(SCHEMA.problemReport),
    ok: z.boolean(),
    report: z.looseObject({
      report_id,
      kind: ReportKind,
      received_at: Timestamp,
      status: ReportStatus,
      outcome: ReportOutcome.nullable().describe("Null while the report is open."),
      reason: z.string().describe("The status or outcome in words."),
      resolved_at: Timestamp.nullable(),
      ledger_row: z
        .int()
        .positive()
        .nullable()
        .describe("Ledger row of the resulting decision; null when there is none."),
    }),
  })
  .meta({ id: "ReportView", description: "Status and outcome of a report." });
export type ReportView = z.infer<typeof ReportView>;
