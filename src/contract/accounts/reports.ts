import { z } from "zod";
import { ReportKind, ReportOutcome, ReportStatus } from "../enums.ts";
import { Timestamp } from "../fields.ts";
import { MAX_QUERY_TEXT, REPORT_TEXT } from "../limits.ts";
import { SCHEMA } from "../versions.ts";
import { EmailAddress } from "./alerts.ts";

/** What each kind of problem is, for the form and for the desk. */
export const REPORT_KIND_WORDS: Readonly<Record<ReportKind, string>> = {
  wrong_name: "The name is wrong.",
  wrong_place: "The place is wrong.",
  wrong_industry: "The industry is wrong.",
  wrong_match: "Different businesses are mixed up, or one is listed twice.",
  not_there: "The sign or vehicle is not there any more.",
  not_genuine: "An observation is not genuine.",
  online_presence: "What is said of the online presence is wrong.",
  privacy: "It shows something private, or is not to be listed.",
  other: "Something else.",
};

/** What became of a report, for whoever sent it. */
export const REPORT_OUTCOME_WORDS: Readonly<Record<ReportOutcome, string>> = {
  upheld: "The report was checked and found to be right.",
  not_upheld:
    "The report was checked. What is published was found to be right, or could not be shown to be wrong.",
  duplicate: "The same was reported before; the earlier report is the one that counts.",
  withdrawn: "The report was withdrawn.",
  out_of_scope: "The report is about something that is not decided here.",
};

/** What is said of a report that nobody has decided about. */
export const REPORT_OPEN_WORDS = "The report is kept. Nobody has decided about it yet.";

const text = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? "is required" : "must be a text",
};

const { min, max } = REPORT_TEXT;

/** A field of the form that people do not see and leave empty. */
export const REPORT_TRAP = "topic";

/** Body of `POST /api/v1/reports`. */
export const ReportRequest = z
  .strictObject({
    about: z
      .string("must be a text")
      .trim()
      .max(MAX_QUERY_TEXT, `must have at most ${MAX_QUERY_TEXT} characters`)
      .optional()
      .describe(
        "Public id of a Presence Record or an asset, address of a record's page, or number of a ledger row. Left out: something else.",
      ),
    kind: z
      .enum(ReportKind.options, `must be one of ${ReportKind.options.join(", ")}`)
      .describe("What is wrong."),
    text: z
      .string(text)
      .overwrite((written) => written.replace(/\r\n?/g, "\n").trim())
      .min(min, `must have at least ${min} characters`)
      .max(max, `must have at most ${max} characters`)
      .regex(/[\p{L}\p{N}]/u, "must say something in words")
      .describe("What is wrong, and how it can be checked. Never published."),
    email: EmailAddress.optional().describe("For one mail that says what came of it. Never published."),
  })
  .meta({ id: "ReportRequest", description: "A problem with something that is published." });
export type ReportRequest = z.infer<typeof ReportRequest>;

const report_id = z
  .string()
  .describe("Known to whoever sent the report, and to nobody else: it shows what came of it.");

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
    next: z.string().describe("What happens now, and what does not."),
  })
  .meta({ id: "ReportReceipt", description: "A report that was taken, and nothing more than that." });
export type ReportReceipt = z.infer<typeof ReportReceipt>;

/** What the holder of a report's id is shown: neither its text nor its mail address. */
export const ReportView = z
  .looseObject({
    schema: z.literal(SCHEMA.problemReport),
    ok: z.boolean(),
    report: z.looseObject({
      report_id,
      kind: ReportKind,
      received_at: Timestamp,
      status: ReportStatus,
      outcome: ReportOutcome.nullable().describe("Null while it is open."),
      reason: z.string().describe("The status or the outcome in words."),
      resolved_at: Timestamp.nullable(),
      ledger_row: z
        .int()
        .positive()
        .nullable()
        .describe("The ledger row of the decision that it led to, where there is one."),
    }),
  })
  .meta({ id: "ReportView", description: "What became of a report." });
export type ReportView = z.infer<typeof ReportView>;
