/** The list of withdrawn ledger rows, for those who hold copies: row numbers, without names and without reasons. */
import { z } from "zod";
import { Count, Timestamp } from "../fields.ts";
import { SCHEMA } from "../versions.ts";

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
