/** Accepted lines become rows before anything else does: every command that appends rows, but an erasure, opens the ledger here. */
import { withProgress } from "../build/progress.ts";
import { classifier, loadClassifierReference } from "../intake/matching/classify.ts";
import { type TakenIn, takeIn } from "../intake/take-in/take-in.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { type CommandContext, openWriter } from "./context.ts";

/** What was taken in, as commands print it. */
export function takenFields({ days, lines, records, assets, held, refused }: TakenIn) {
  return {
    days_taken_in: days,
    lines_taken_in: lines,
    new_records: records,
    new_assets: assets,
    held_for_review: held,
    refused_by_opt_out: refused,
  };
}

/**
 * Opens the ledger for writing, with the clock that `--clock` sets, and takes in the lines of the days that are over. Throws
 * OperatorError as `openWriter` and `takeIn` do; what was taken in by then stays.
 */
export async function openCurrentWriter(context: CommandContext, clock?: string): Promise<LedgerWriter> {
  const writer = openWriter(context, clock);
  try {
    const { lines, days } = await takeInPending(context, writer, { now: false });
    if (lines > 0)
      context.stderr.write(
        `took in ${lines.toLocaleString("en-US")} accepted lines of ${days} finished day${days === 1 ? "" : "s"} first\n`,
      );
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Takes in the lines of finished days; with `now`, of today too. Shows a progress bar on a terminal. */
export function takeInPending(
  context: CommandContext,
  ledger: LedgerWriter,
  { now }: { readonly now: boolean },
): Promise<TakenIn> {
  return withProgress(context, "lines taken in", (update) =>
    takeIn({
      ledger,
      now,
      random: context.random,
      classifier: () => classifier(loadClassifierReference()),
      onCommit: ({ lines }, total) => update(lines, total),
    }),
  );
}
