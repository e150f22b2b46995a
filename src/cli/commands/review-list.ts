/** What waits for reviewers, and what they need to know of it. */
import { Option } from "@commander-js/extra-typings";
import { OperatorError } from "../../kernel/errors.ts";
import { type CommandContext, clockFor, existingState } from "../../operations/context.ts";
import { itemsOf, type QueueInputs, queueOf } from "../../operations/review-queue.ts";
import { DeskState } from "../../review/desk-state.ts";
import { askedIn, filtered, isGroupKey } from "../../review/queue/groups.ts";
import { QUEUE_KINDS, type ReviewQueue } from "../../review/queue/model.ts";
import { groupsOf, reviewQueue } from "../../review/queue/queue.ts";
import { showSubject } from "../../review/show.ts";
import type { Report } from "../../state/reports.ts";
import { type Bare, type Call, command } from "../command.ts";
import { whole } from "../options.ts";
import { JsonLines, Output } from "../output.ts";
import { shownReport } from "./reports.ts";
import { countLines, groupLine, groupText, itemLine, itemText } from "./review-texts.ts";

const DEFAULT_LINES = 50;
const MAX_LINES = 100_000;

const listItems = command({
  path: "review list",
  does: "count and list what waits for a decision: groups that one decision answers, then items",
  takes: (bare: Bare) =>
    bare
      .addOption(new Option("--kind <kind>", "only of this kind").choices(QUEUE_KINDS))
      .option("--city <slug>", "only of this city")
      .option("--source <id>", "only what lines of this source are about")
      .option("--batch <name>", "only what lines of this batch are about")
      .option("--group <key>", "only of this group")
      .option("--items", "list single items instead of groups")
      .addOption(
        new Option("--set-aside <which>", "the observations that checks set aside: a random sample, or all")
          .choices(["sample", "all"] as const)
          .default("sample" as const),
      )
      .option("--limit <n>", "maximum number of lines", whole("--limit", MAX_LINES), DEFAULT_LINES),
  access: "read",
  clock: "reads",
  json: "print the counts, then a group or an item a line, as JSON",
  async run(call, { items: ungrouped, setAside, limit, ...filter }) {
    const queue = await queueOfCall(call, {
      ...{ filter, ungrouped: ungrouped === true },
      ...(setAside === "all" && { setAside }),
    });
    const { groups, counts, not_asked } = queue;
    const items = queue.items.filter(({ asked_in }) => asked_in === null);
    const lines = [...groups.map(groupLine), ...items.map(itemLine)];
    return new Output({
      json: new JsonLines([{ counts, not_asked }, ...[...groups, ...items].slice(0, limit)]),
      text: [...countLines(queue), ...(lines.length === 0 ? [] : [""]), ...lines.slice(0, limit)],
      notes: lines.length > limit ? [`${limit} of ${lines.length} lines; --limit shows more`] : [],
    });
  },
});

const showItem = command({
  path: "review show",
  does: "show the facts for a decision about an item or a group, or all that is known of a record, an asset or an observation",
  takes: (bare: Bare) => bare.argument("<item>", "an item, a group, a public id or a row"),
  access: "read",
  clock: "reads",
  run: (call, _, subject) => {
    if (subject.startsWith("rep_")) return shownReport(call.context, subject);
    return isGroupKey(subject) ? shownGroup(call, subject) : shownItem(call, subject);
  },
});

/** What is known of a subject; of an item with what was decided about it so far. */
function shownItem(call: Call<"read">, subject: string) {
  const { ledger } = call;
  const { deskRows: rows, live } = ledger;
  const [state, now] = [new DeskState(rows.rows()), nowOf(call)];
  const items = itemsOf(state, { ledger, now, setAside: "all" });
  const item = items.find((each) => each.item === subject);
  if (item === undefined) return { ...showSubject(subject, { state, live, items }) };
  const sources = { state, rows, live, now, notAsked: [] };
  const [shown] = reviewQueue({ ...sources, items: [item], ungrouped: true }).items;
  if (shown === undefined) throw new Error(`${subject} waits, and is not in the queue`);
  return new Output({ json: shown, text: itemText({ ...shown, asked_in: askedIn(item, state) ?? null }) });
}

function shownGroup(call: Call<"read">, key: string): Output {
  const { deskRows: rows, live, batches } = call.ledger;
  const state = new DeskState(rows.rows());
  const sources = { state, rows, live, batches };
  const own = filtered(itemsOf(state, { ledger: call.ledger, now: nowOf(call) }), { group: key }, sources);
  const groups = [...Map.groupBy(own, ({ kind }) => kind).values()].flatMap((each) =>
    groupsOf(sources, new Map([[key, each]])),
  );
  if (groups.length === 0)
    throw new OperatorError(`${key}: no item of this group waits: see \`presence review list\``);
  return new Output({ json: new JsonLines(groups), text: groups.flatMap(groupText) });
}

/** Reads the desk and its queue, as of `--clock`. */
async function queueOfCall(
  call: Call<"read">,
  asked: Pick<QueueInputs, "filter" | "ungrouped" | "setAside">,
): Promise<ReviewQueue> {
  const reports = await openReports(call.context);
  return queueOf({ ledger: call.ledger, reports, now: nowOf(call), ...asked });
}

function nowOf({ context, clock, ledger }: Call<"read">): number {
  return clockFor(context, ledger.meta.environment, clock)();
}

async function openReports(context: CommandContext): Promise<readonly Report[]> {
  await using state = await existingState(context);
  return (await state?.reports.open()) ?? [];
}

export const queueCommands = [listItems, showItem];
