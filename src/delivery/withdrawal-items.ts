/** Withdrawals as webhook messages: partners who hold copies learn row numbers, and neither names nor reasons. */

import { type RowRanges, rowRanges } from "../contract/ledger/ledger.ts";
import { isoTime } from "../kernel/time.ts";
import type { ReadContext } from "../resources/define.ts";
import { withdrawalsUrl } from "../resources/links.ts";
import type { NewDelivery } from "../state/delivery/outbox.ts";
import type { Webhook } from "../state/delivery/webhooks.ts";
import { type WithdrawalMessage, withdrawalItem } from "./email/messages.ts";

/** Ranges in one message, which then stays below the size that the contract promises. */
const MAX_RANGES = 500;

const PREFIX = "withdrawal:";

/** What a release withdrew, by the row that did it; the keys are marks for `Publications`, apart from those of events. */
export type Withdrawals = ReadonlyMap<string, readonly WithdrawalMessage["data"][]>;

/** All withdrawals that a release knows. */
export function publishedWithdrawals(
  snapshot: Pick<ReadContext["snapshot"], "withdrawals" | "release">,
): Withdrawals {
  const { baseUrl } = snapshot.release();
  const byRow = Map.groupBy(snapshot.withdrawals(0, 0, Number.MAX_SAFE_INTEGER), ({ erasedBy }) => erasedBy);
  return new Map(
    [...byRow].map(([withdrawn_by, erased]) => [
      `${PREFIX}${withdrawn_by}`,
      inParts(rowRanges(erased.map(({ row }) => row))).map((rows, at, parts) => ({
        withdrawn_by,
        part: at + 1,
        parts: parts.length,
        rows,
        withdrawals_url: withdrawalsUrl(baseUrl),
      })),
    ]),
  );
}

/** Every endpoint gets every withdrawal: a row number has no city, and no filter asks to keep what was withdrawn. */
export function* withdrawalItems(
  webhooks: readonly Webhook[],
  withdrawals: Withdrawals,
  isNew: ReadonlySet<string>,
  asOf: number,
): Generator<NewDelivery> {
  const messages = [...withdrawals].flatMap(([mark, parts]) => (isNew.has(mark) ? parts : []));
  for (const webhook of webhooks)
    for (const data of messages) yield withdrawalItem(webhook, data, isoTime(asOf));
}

function inParts(ranges: RowRanges): RowRanges[] {
  const parts: RowRanges[] = [];
  for (let at = 0; at < ranges.length; at += MAX_RANGES) parts.push(ranges.slice(at, at + MAX_RANGES));
  return parts;
}
