import { type Command, Option } from "@commander-js/extra-typings";
import { approve, BATCH_STATES, batchState, knownBatch } from "../../../intake/batches/batch-state.ts";
import { isoDate, isoTime } from "../../../kernel/time.ts";
import type { Batch } from "../../../ledger/matching/batches.ts";
import type { LedgerWriter } from "../../../ledger/writer.ts";
import { type CommandContext, openWriter, printList, printResult } from "../../../operations/context.ts";
import { undoneBatch } from "../../../operations/erasure/requests.ts";
import { CLOCK_OPTION, JSON_OPTION, whole } from "../../command.ts";
import { runTakeOut } from "../../erasure.ts";

const MAX_LIST = 1000;

export function define(batch: Command, context: CommandContext): void {
  batch.addHelpText(
    "after",
    `
A batch is one ingested file. Its state:
  pending    its lines become rows when their UTC day is over
  held_back  outside the bounds: it waits for approve or undo
  approved   was held back; goes with the seal of the day of its approval
  taken_in   its lines have become rows, or wait for a reviewer
  undone     taken back
  empty      no line came in`,
  );
  defineReads(batch, context);
  defineApprove(batch, context);
  defineUndo(batch, context);
}

function defineReads(batch: Command, context: CommandContext): void {
  batch
    .command("list")
    .description("list the newest batches")
    .addOption(new Option("--state <state>", "only in this state").choices(BATCH_STATES))
    .option("--limit <number>", "how many of the newest batches to look at", whole("--limit", MAX_LIST), 50)
    .option(...JSON_OPTION)
    .action(({ state, limit, json }) => {
      using ledger = openWriter(context);
      const batches = ledger.batches
        .list(limit)
        .map((each) => shown(ledger, each))
        .filter((each) => state === undefined || each.state === state);
      printList(context, json, batches, listLine);
    });
  batch
    .command("show <name>")
    .description("show a batch: its file, sources, times, counts, and why it was held back")
    .option(...JSON_OPTION)
    .action((name, { json }) => {
      using ledger = openWriter(context);
      printResult(context, json, shown(ledger, knownBatch(ledger, name)));
    });
}

function defineApprove(batch: Command, context: CommandContext): void {
  batch
    .command("approve <name>")
    .description("let a batch in that was held back: it goes with the next seal, dated today (UTC)")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action((name, { clock, json }) => {
      using ledger = openWriter(context, clock);
      approve(ledger, name);
      printResult(context, json, {
        ...shown(ledger, knownBatch(ledger, name)),
        dated: isoDate(ledger.now()),
      });
    });
}

function defineUndo(batch: Command, context: CommandContext): void {
  batch
    .command("undo <name>")
    .description("take a batch back: lines without a row leave; rows stop counting at once")
    .option("--confirm <code>", "undo a batch with rows; without it, only preview it and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action((name, options) => runTakeOut(context, undoneBatch(name), options));
}

function shown(ledger: LedgerWriter, batch: Batch) {
  const { name, file, startedAt, endedAt, read, accepted, looks, known, rejected } = batch;
  const left = ledger.batches.left(name);
  const sources = new Map<string, number>();
  for (const { source, lines } of ledger.batches.linesOf([name]))
    sources.set(source, (sources.get(source) ?? 0) + lines);
  return {
    batch: name,
    state: batchState(batch, left),
    file,
    started_at: isoTime(startedAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
    sources: Object.fromEntries(sources),
    read,
    accepted,
    looks_accepted: looks,
    already_known: known,
    rejected,
    rejected_by_reason: batch.rejectedByReason,
    new_names: batch.newNames,
    in_new_cells: batch.newCells,
    waiting: left.waiting,
    held_for_review: left.held,
    held_back: left.heldBack,
    rows: left.rows,
    decided_at: batch.decidedAt === null ? null : isoTime(batch.decidedAt),
    findings: batch.findings,
  };
}

function listLine(batch: ReturnType<typeof shown>): string {
  const { batch: name, state, started_at, file, read, accepted, rejected } = batch;
  const counts = `${read} read, ${accepted} accepted, ${rejected} rejected`;
  return `${name}  ${state}  ${started_at}  ${counts}  ${file}`;
}
