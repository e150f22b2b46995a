import { z } from "zod";
import { RedactionReason } from "../enums.ts";
import { Count } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

export const RedactionCount = z
  .looseObject({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe("UTC month in which the rows were erased."),
    kind: z.enum(["redaction"]).describe("One kind for all: the reason is private."),
    reason: RedactionReason.nullable().describe("Always null: `reasons_by_month` counts reasons."),
    redactions: z.int().positive().describe("Erasure decisions."),
    rows: Count.describe("Rows newly erased by these decisions."),
  })
  .meta({ id: "RedactionCount", description: "Rows erased in one month." });
export type RedactionCount = z.infer<typeof RedactionCount>;

/** Fewer decisions of one reason in a month are withheld: they could be matched with single rows. */
export const MIN_REASON_DECISIONS = 3;

export const RedactionReasons = z
  .looseObject({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe("UTC month in which the rows were erased."),
    reasons: z
      .array(z.looseObject({ reason: RedactionReason, redactions: z.int().min(MIN_REASON_DECISIONS) }))
      .describe("Erasure decisions by reason; reasons with fewer than three are withheld."),
    reasons_withheld: z
      .boolean()
      .describe("Reasons of this month are withheld: too few decisions, or the month is not over."),
  })
  .meta({
    id: "RedactionReasons",
    description:
      "Why rows were erased in one month. Reasons are private; the operator states these counts, and the ledger cannot prove them.",
  });
export type RedactionReasons = z.infer<typeof RedactionReasons>;

export const LedgerRedactions = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerRedactions),
    total_rows: Count.describe("Ledger rows whose values are erased."),
    counts: z.array(RedactionCount).describe("Sorted by month."),
    reasons_by_month: z.array(RedactionReasons).describe("Sorted by month."),
  })
  .meta({ id: "LedgerRedactions", description: "Counts of erased ledger rows and of the reasons by month." });
export type LedgerRedactions = z.infer<typeof LedgerRedactions>;
