/** Accepted lines become rows before anything else does: every command that appends rows, but an erasure, opens the ledger here. */
import { withProgress } from "../build/reporter.ts";
import { SourceType } from "../contract/enums.ts";
import { forgetOldBatches } from "../intake/batches.ts";
import { judgeBatches } from "../intake/brake.ts";
import { standardClassifier } from "../intake/matching/classify.ts";
import { type TakenIn, takeIn } from "../intake/take-in/take-in.ts";
import { OperatorError } from "../kernel/errors.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { type CommandContext, openWriter } from "./context.ts";

/** What was taken in, and how many batches wait for the operator. */
export interface TakenBatches extends TakenIn {
  readonly batchesHeldBack: number;
}

/** What was taken in, as commands print it. */
export function takenFields({ days, lines, records, assets, held, refused, batchesHeldBack }: TakenBatches) {
  return {
    days_taken_in: days,
    lines_taken_in: lines,
    new_records: records,
    new_assets: assets,
    held_for_review: held,
    refused_by_opt_out: refused,
    batches_held_back: batchesHeldBack,
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
        `took in ${counted(lines, "accepted line")} of ${counted(days, "finished day")} first\n`,
      );
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * Holds back the batches that are outside the bounds, and takes in the lines of finished days; with `now`, of today too. Shows a
 * progress bar on a terminal.
 */
export async function takeInPending(
  context: CommandContext,
  ledger: LedgerWriter,
  { now }: { readonly now: boolean },
): Promise<TakenBatches> {
  brake(context, ledger, utcDayStart(ledger.now()) - (now ? 0 : DAY_MS));
  const taken = await withProgress(context, "lines taken in", (update) =>
    takeIn({
      ledger,
      now,
      random: context.random,
      models: allowedModels(context),
      classifier: standardClassifier,
      onCommit: ({ lines }, total) => update(lines, total),
    }),
  );
  return { ...taken, batchesHeldBack: ledger.batches.heldBack().length };
}

function allowedModels({ config: { models } }: CommandContext): ReadonlySet<string> {
  for (const model of models) {
    const source = SourceType.safeParse(model.slice(0, model.indexOf(":")));
    if (!source.success)
      throw new OperatorError(
        `environment variable RECOGNITION_MODELS: the source type must be one of ${SourceType.options.join(", ")} (got ${model})`,
      );
  }
  return models;
}

/** Judges batches with lines up to a UTC day (ms), and says which it holds back. */
function brake({ config, stderr }: CommandContext, ledger: LedgerWriter, upTo: number): void {
  forgetOldBatches(ledger);
  for (const { name, file, findings } of judgeBatches(ledger, config.strictness, upTo))
    stderr.write(
      `batch ${name} (${file}) is held back: ${findings.join("; ")}: \`presence batch show ${name}\`, then \`presence batch approve ${name}\` or \`presence batch undo ${name}\`\n`,
    );
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
