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
    kind: z.enum(["redaction", "opt_out"]),
    reason: RedactionReason,
    redactions: z.int().positive().describe("Erasure decisions."),
    rows: Count.describe("Rows newly erased by these decisions."),
  })
  .meta({ id: "RedactionCount", description: "Rows erased in one month for one reason." });
export type RedactionCount = z.infer<typeof RedactionCount>;

export const LedgerRedactions = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerRedactions),
    total_rows: Count.describe("Ledger rows whose values are erased."),
    counts: z.array(RedactionCount).describe("Sorted by month, kind and reason."),
  })
  .meta({ id: "LedgerRedactions", description: "Counts of erased ledger rows by month and reason." });
export type LedgerRedactions = z.infer<typeof LedgerRedactions>;
