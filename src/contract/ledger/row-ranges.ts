import { z } from "zod";

const RowId = z.int().positive();

/**
 * Ledger rows as ranges `[first, last]`, both inclusive: ascending, without overlap, as few as possible. A record that
 * was seen ten thousand times stays one short list.
 */
export const RowRanges = z.array(z.array(RowId).length(2));
export type RowRanges = z.infer<typeof RowRanges>;

/** The ranges of ascending row numbers; a number that comes twice counts once. */
export function rowRanges(ascending: Iterable<number>): RowRanges {
  const ranges: [first: number, last: number][] = [];
  for (const row of ascending) {
    const open = ranges.at(-1);
    if (open !== undefined && row <= open[1] + 1) open[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}

/** Rows that a document about one record rests on: once `/api/v1/withdrawals` names one of them, the document is out of date. */
export const RecordRows = z
  .looseObject({
    record: RowId.describe("Row of the record."),
    assets: z.array(RowId).describe("Rows of its assets, ascending."),
    observations: RowRanges.describe(
      "Rows of its listed observations, rejected ones included, as ranges [first, last]; both ends included.",
    ),
  })
  .meta({
    id: "RecordRows",
    description:
      "Ledger rows behind this document. When `/api/v1/withdrawals` lists one of them, delete or refresh your copy.",
  });
export type RecordRows = z.infer<typeof RecordRows>;
