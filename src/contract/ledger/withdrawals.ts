import { z } from "zod";
import { RedactionReason } from "../enums.ts";
import { Count, Timestamp } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

/** The list of withdrawn ledger rows, for those who hold copies: row numbers, without names and without reasons. */

const RowId = z.int().positive();

export const Withdrawal = z
  .looseObject({
    row: RowId.describe("The withdrawn row."),
    withdrawn_by: RowId.describe("The row that withdrew it."),
  })
  .meta({ id: "Withdrawal", description: "A ledger row whose values are erased." });
export type Withdrawal = z.infer<typeof Withdrawal>;

export const WithdrawalsResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.withdrawals),
    data_as_of: Timestamp,
    tree_size: RowId.describe("Ledger rows of this release."),
    total_count: Count.describe("Withdrawn rows in this release, on all pages."),
    has_more: z.boolean().describe("True when more rows follow this page."),
    next_cursor: z
      .string()
      .nullable()
      .describe(
        "Pass it as `cursor` for what follows. It never expires: keep the last one, and ask again after the next release. Null while nothing was ever withdrawn.",
      ),
    note: z.string(),
    withdrawals: z.array(Withdrawal).describe("In the order of withdrawal."),
  })
  .meta({ id: "WithdrawalsResponse", description: "One page of the withdrawn ledger rows." });
export type WithdrawalsResponse = z.infer<typeof WithdrawalsResponse>;

export const WITHDRAWALS_NOTE =
  "Delete or refresh each copy that rests on one of these rows: `rows` of a record, `entity_row` of a list item, `rows` of a citation, `id` of an observation. A withdrawn row is not evidence of anything, and the list does not say why.";

/** Position after the last listed row. Rows of one withdrawal are published together, so it stays valid in every later release. */
export interface WithdrawalCursor {
  readonly withdrawnBy: number;
  readonly row: number;
}

const CURSOR = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/;

/** Undefined for text that `withdrawalCursor` did not write. */
export function readWithdrawalCursor(text: string): WithdrawalCursor | undefined {
  const [, withdrawnBy, row] = CURSOR.exec(text) ?? [];
  return row === undefined ? undefined : { withdrawnBy: Number(withdrawnBy), row: Number(row) };
}

export function withdrawalCursor({ withdrawnBy, row }: WithdrawalCursor): string {
  return `${withdrawnBy}.${row}`;
}

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
