import {
  readWithdrawalCursor,
  WITHDRAWALS_NOTE,
  WithdrawalsResponse,
  withdrawalCursor,
} from "../../contract/ledger/withdrawals.ts";
import { WithdrawalsParams } from "../../contract/params.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import { defineResource } from "../define.ts";

const START = { withdrawnBy: 0, row: 0 };

export const withdrawals = defineResource({
  operationId: "listWithdrawals",
  path: "/api/v1/withdrawals",
  summary: "List the withdrawn ledger rows, for those who hold copies",
  description:
    "Returns the numbers of all rows whose values were erased by a redaction or an opt-out, in the order of withdrawal, without names and reasons. `next_cursor` never expires: keep the last one and pass it after each release to get what was withdrawn since.",
  pathParams: {},
  query: WithdrawalsParams.shape,
  wire: WithdrawalsResponse,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _, { cursor, limit }) {
    const { asOf, treeSize } = snapshot.release();
    const after = (cursor === undefined ? undefined : readWithdrawalCursor(cursor)) ?? START;
    const found = snapshot.withdrawals(after.withdrawnBy, after.row, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      schema: SCHEMA.withdrawals,
      data_as_of: isoTime(asOf),
      tree_size: treeSize,
      total_count: snapshot.withdrawalCount(),
      has_more: found.length > limit,
      next_cursor:
        last === undefined
          ? (cursor ?? null)
          : withdrawalCursor({ withdrawnBy: last.erasedBy, row: last.row }),
      note: WITHDRAWALS_NOTE,
      withdrawals: page.map(({ row, erasedBy }) => ({ row, withdrawn_by: erasedBy })),
    };
  },
});
