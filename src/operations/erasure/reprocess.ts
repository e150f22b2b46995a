import { type ReprocessResult, reprocess } from "../../intake/reprocess/reprocess.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import { existingState } from "../existing-state.ts";
import { lockReleases } from "../release.ts";
import type { Confirmation } from "./erasure.ts";

/** Appends rows again with today's precision (see `reprocess`). After a kill the same call finishes. */
export async function reprocessConfirmed(
  context: CommandContext,
  { code, clock }: Confirmation,
): Promise<ReprocessResult> {
  using ledger = openWriter(context, clock);
  const lock = lockReleases(homeOf(context)); // a release built meanwhile would publish what is erased here
  try {
    await pointReports(context, ledger); // first, because afterwards the old numbers lead nowhere
    return reprocess(ledger, code);
  } finally {
    lock.release();
  }
}

/** Reports about rows become reports about the records of these rows. */
async function pointReports(context: CommandContext, { live }: LedgerWriter): Promise<void> {
  await using state = await existingState(context);
  await state?.reports.pointAtRecords((row) => {
    const [record] = live.recordsAbout(row);
    return record === undefined ? undefined : live.records([record])[0]?.body.public_id;
  });
}
