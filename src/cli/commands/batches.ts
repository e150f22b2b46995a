import { Option } from "@commander-js/extra-typings";
import { approve, BATCH_STATES, batchState, knownBatch } from "../../intake/batches.ts";
import { approvalNote } from "../../intake/brake.ts";
import { isoDate, isoTime } from "../../kernel/time.ts";
import type { Batch, Batches, BatchLines } from "../../ledger/matching/batches.ts";
import { fieldLines } from "../../operations/context.ts";
import { undoneBatch } from "../../operations/erasure/requests.ts";
import { type Bare, command, family } from "../command.ts";
import { whole } from "../options.ts";
import { list, Output, shown } from "../output.ts";
import { TAKES_OUT, takenOut } from "../take-out.ts";

const MAX_LIST = 1000;
/** Names that a preview shows: enough to see whether they are names. */
const SAMPLE_NAMES = 30;

const batch = family("batch", {
  help: `
A batch is one ingested file. Its state:
  pending    its lines become rows when their UTC day is over
  held_back  a source's first delivery for a city, or outside the bounds: it waits for approve or undo
  approved   goes with the next seal; dated the day of its approval where it was held back
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
      .option("--limit <number>", "how many of the newest batches to search", whole("--limit", MAX_LIST), 50),
  access: "read",
  run({ ledger, context }, { state, limit }) {
    const { batches } = ledger;
    const found = batches
      .list(limit)
      .map((each) => ({
        ...batchFields(batches, each),
        sources: sourcesOf(batches, each),
        notes: approvalNote(ledger, each.name, context.config.strictness),
      }))
      .filter((each) => state === undefined || each.state === state);
    const counted = state === undefined ? { of: "batch", total: batches.total() } : { of: `${state} batch` };
    return list(found, batchLines, counted);
  },
});

const showBatch = command({
  path: "batch show",
  does: "show a batch: its file, sources, times, counts, and why it was held back",
  takes: (bare: Bare) => bare.argument("<batch>"),
  access: "read",
  run({ ledger: { batches } }, _, name) {
    const { findings, ...fields } = batchFields(batches, knownBatch(batches, name));
    const deliveries = batches.linesOf([name]).map(deliveryFields);
    const names = batches.sampleNames(name, SAMPLE_NAMES);
    return new Output({
      json: { ...fields, findings, deliveries, names },
      text: [
        ...fieldLines(fields),
        ...block("deliveries", deliveries.map(deliveryLine)),
        ...block("some of its names", names.length === 0 ? [] : [names.join(" · ")]),
        ...block("why it was held back", findings),
      ],
    });
  },
});

const approveBatch = command({
  path: "batch approve",
  does: "approve batches: held-back ones are sealed next, dated today (UTC), others with their day",
  takes: (bare: Bare) => bare.argument("<batch...>"),
  access: "write",
  clock: "writes rows",
  async *run({ ledger }, _, names) {
    const { batches } = ledger;
    const held = new Set(batches.heldBack());
    approve(ledger, names);
    for (const name of names) {
      const dated = held.has(name) && { dated: isoDate(ledger.now()) };
      yield { ...batchFields(batches, knownBatch(batches, name)), ...dated };
    }
  },
});

const undoBatch = command({
  ...TAKES_OUT,
  path: "batch undo",
  does: "undo a batch: its lines without a row are deleted, its rows stop counting at once",
  takes: (bare: Bare) => bare.argument("<batch>"),
  confirm: "undo a batch with rows; without it, only preview it and print the code",
  run: (call, _, name) => takenOut(call, undoneBatch(name)),
});

function batchFields(batches: Batches, batch: Batch) {
  const { name, startedAt, file, read, accepted, rejected } = batch;
  const left = batches.left(name);
  return {
    batch: name,
    state: batchState(batch, left),
    file,
    started_at: isoTime(startedAt),
    ...shown(batch, "endedAt"),
    read,
    accepted,
    looks_accepted: batch.looks,
    already_known: batch.known,
    rejected,
    rejected_share: read === 0 ? 0 : Number((rejected / read).toFixed(3)),
    ...shown(batch, "rejectedByReason"),
    new_names: batch.newNames,
    in_new_cells: batch.newCells,
    waiting: left.waiting,
    held_for_review: left.held,
    held_back: left.heldBack,
    rows: left.rows,
    ...shown(batch, "decidedAt"),
    findings: batch.findings,
  };
}

/** A heading, and lines below it; nothing without lines. */
function block(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `${heading}:`, ...lines.map((line) => `  ${line}`)];
}

function deliveryFields({ source, city, day, lines, newNames, newCells }: BatchLines) {
  return { source, city, accepted_on: isoDate(day), lines, new_names: newNames, in_new_cells: newCells };
}

function deliveryLine(delivery: ReturnType<typeof deliveryFields>): string {
  const { source, city, accepted_on, lines, new_names, in_new_cells } = delivery;
  const part = (count: number) => `${count.toLocaleString("en-US")} (${Math.round((100 * count) / lines)} %)`;
  return `${source} for ${city}, ${accepted_on}: ${lines.toLocaleString("en-US")} lines, ${part(new_names)} with new names, ${part(in_new_cells)} in new map cells`;
}

/** Those whose lines it brought. */
function sourcesOf(batches: Batches, { name }: Batch): readonly string[] {
  return [...new Set(batches.linesOf([name]).map(({ source }) => source))];
}

interface ListedBatch extends ReturnType<typeof batchFields> {
  readonly sources: readonly string[];
  readonly notes: readonly string[];
}

function batchLines(batch: ListedBatch): string[] {
  const { batch: name, state, started_at, file, read, accepted, rejected, sources, notes } = batch;
  const counts = `${read} read, ${accepted} accepted, ${rejected} rejected`;
  const from = sources.join(",") || "-";
  const line = `${name}  ${state}  ${started_at}  ${from}  ${counts}  ${file}`;
  return [line, ...notes.map((note) => `  ${note}`)];
}

export const commands = [batch, listBatches, showBatch, approveBatch, undoBatch];
