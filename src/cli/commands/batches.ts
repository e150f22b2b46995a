import { Option } from "@commander-js/extra-typings";
import { approve, BATCH_STATES, batchState, knownBatch } from "../../intake/batches.ts";
import { isoDate, isoTime } from "../../kernel/time.ts";
import type { Batch, Batches } from "../../ledger/matching/batches.ts";
import { undoneBatch } from "../../operations/erasure/requests.ts";
import { type Bare, command, family } from "../command.ts";
import { whole } from "../options.ts";
import { list, shown } from "../output.ts";
import { TAKES_OUT, takenOut } from "../take-out.ts";

const MAX_LIST = 1000;

const batch = family("batch", {
  help: `
A batch is one ingested file. Its state:
  pending    its lines become rows when their UTC day is over
  held_back  outside the bounds: it waits for approve or undo
  approved   was held back; goes with the seal of the day of its approval
  taken_in   its lines have become rows, or wait for a reviewer
  undone     taken back
  empty      no line came in`,
});

const listBatches = command({
  path: "batch list",
  does: "list the newest batches",
  takes: (bare: Bare) =>
    bare
      .addOption(new Option("--state <state>", "only in this state").choices(BATCH_STATES))
      .option(
        "--limit <number>",
        "how many of the newest batches to look at",
        whole("--limit", MAX_LIST),
        50,
      ),
  access: "read",
  run({ ledger: { batches } }, { state, limit }) {
    const found = batches
      .list(limit)
      .map((each) => batchFields(batches, each))
      .filter((each) => state === undefined || each.state === state);
    return list(found, batchLine);
  },
});

const showBatch = command({
  path: "batch show",
  does: "show a batch: its file, sources, times, counts, and why it was held back",
  takes: (bare: Bare) => bare.argument("<name>"),
  access: "read",
  run: ({ ledger: { batches } }, _, name) => batchFields(batches, knownBatch(batches, name)),
});

const approveBatch = command({
  path: "batch approve",
  does: "let a batch in that was held back: it goes with the next seal, dated today (UTC)",
  takes: (bare: Bare) => bare.argument("<name>"),
  access: "write",
  clock: "writes rows",
  run({ ledger }, _, name) {
    approve(ledger, name);
    const { batches } = ledger;
    return { ...batchFields(batches, knownBatch(batches, name)), dated: isoDate(ledger.now()) };
  },
});

const undoBatch = command({
  ...TAKES_OUT,
  path: "batch undo",
  does: "take a batch back: lines without a row leave; rows stop counting at once",
  takes: (bare: Bare) => bare.argument("<name>"),
  confirm: "undo a batch with rows; without it, only preview it and print the code",
  run: (call, _, name) => takenOut(call, undoneBatch(name)),
});

function batchFields(batches: Batches, batch: Batch) {
  const { name, startedAt, file, read, accepted, rejected } = batch;
  const left = batches.left(name);
  const sources = new Map<string, number>();
  for (const { source, lines } of batches.linesOf([name]))
    sources.set(source, (sources.get(source) ?? 0) + lines);
  return {
    batch: name,
    state: batchState(batch, left),
    file,
    started_at: isoTime(startedAt),
    ...shown(batch, "endedAt"),
    sources: Object.fromEntries(sources),
    read,
    accepted,
    looks_accepted: batch.looks,
    already_known: batch.known,
    rejected,
    ...shown(batch, "rejectedByReason"),
    new_names: batch.newNames,
    in_new_cells: batch.newCells,
    waiting: left.waiting,
    held_for_review: left.held,
    held_back: left.heldBack,
    rows: left.rows,
    ...shown(batch, "decidedAt", "findings"),
  };
}

function batchLine(batch: ReturnType<typeof batchFields>): string {
  const { batch: name, state, started_at, file, read, accepted, rejected } = batch;
  const counts = `${read} read, ${accepted} accepted, ${rejected} rejected`;
  return `${name}  ${state}  ${started_at}  ${counts}  ${file}`;
}

export const commands = [batch, listBatches, showBatch, approveBatch, undoBatch];
