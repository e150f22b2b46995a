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
    redactions: z.int().positive().describe("Decisions to erase."),
    rows: Count.describe("Rows that these decisions erased and no earlier one had."),
  })
  .meta({ id: "RedactionCount", description: "Rows erased in a month for one reason." });
export type RedactionCount = z.infer<typeof RedactionCount>;

export const LedgerRedactions = z
  .looseObject({
    schema: z.literal(SCHEMA.ledgerRedactions),
    total_rows: Count.describe("Rows of the ledger whose values are erased."),
    counts: z.array(RedactionCount).describe("By month, kind and reason, in that order."),
  })
  .meta({ id: "LedgerRedactions", description: "How many rows of the ledger were erased, when and why." });
export type LedgerRedactions = z.infer<typeof LedgerRedactions>;
