import { type Command, Option } from "@commander-js/extra-typings";
import { readNamedFile } from "../../../kernel/files/named-file.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { PARAMETERS } from "../../../method/parameters.ts";
import {
  type CommandContext,
  clockFor,
  homeOf,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { drawSetAside } from "../../../operations/draw-set-aside.ts";
import { existingState } from "../../../operations/existing-state.ts";
import { type WaitingReport, waitingReport } from "../../../operations/waiting-reports.ts";
import { type ListedOutcome, readDecisions, takeList } from "../../../review/decision-list.ts";
import { DeskState } from "../../../review/desk-state.ts";
import { ITEM_KINDS, type Item, type ItemKind, type ItemSources } from "../../../review/item.ts";
import { byWaiting, waitingItems } from "../../../review/items.ts";
import type { Action } from "../../../review/request.ts";
import { type ShowSources, showSubject } from "../../../review/show.ts";
import type { Report } from "../../../state/reports/report-row.ts";
import { CLOCK_OPTION, JSON_OPTION, whole } from "../../command.ts";
import { atDesk, takeOne, withDecider } from "../../desk.ts";
import { defineCorrections } from "./corrections.ts";
import { showReport } from "./report.ts";

/** Items wait in the ledger, reports in the state. */
const KINDS = [...ITEM_KINDS, "report"] as const;

interface ListOptions {
  readonly kind?: (typeof KINDS)[number] | undefined;
  readonly city?: string | undefined;
  readonly setAside?: "sample" | "all";
  readonly limit: number;
  readonly clock?: string | undefined;
  readonly json?: boolean | undefined;
}

const DEFAULT_ITEMS = 50;
const MAX_ITEMS = 100_000;

const NOW_OPTION = ["--clock <time>", "list as of this time; not for production ledgers"] as const;

/** [action, what it is about, its value, what it does] */
const ACTIONS: readonly (readonly [Action, string, string | undefined, string])[] = [
  ["accept", "<item>", undefined, "confirm an item, or an observation (its row)"],
  ["reject", "<item>", undefined, "reject an item, or an observation (its row)"],
  ["classify", "<record>", "<isic>", "set the industry; `none` if none applies"],
  ["flag", "<record>", undefined, "keep a record out of rankings until its evidence is reviewed"],
  ["unflag", "<record>", undefined, "remove a flag"],
  ["retire", "<asset>", undefined, "record that a sign or vehicle is gone"],
  ["unretire", "<asset>", undefined, "record that it still exists"],
];

export function define(review: Command, context: CommandContext): void {
  review
    .command("list")
    .description("list the items that need a review, the longest waiting first")
    .addOption(new Option("--kind <kind>", "only of this kind").choices(KINDS))
    .option("--city <slug>", "only of this city")
    .addOption(
      new Option("--set-aside <which>", "of the observations that checks set aside: a random sample, or all")
        .choices(["sample", "all"] as const)
        .default("sample" as const),
    )
    .option("--limit <n>", "maximum number of items", whole("--limit", MAX_ITEMS), DEFAULT_ITEMS)
    .option(...NOW_OPTION)
    .option("--json", "print one item a line as JSON")
    .action((options) => listItems(context, options));

  review
    .command("show <item>")
    .description("show all that is known of an item, a record, an asset or an observation (public id or row)")
    .option(...NOW_OPTION)
    .option(...JSON_OPTION)
    .action((subject, { clock, json }) =>
      subject.startsWith("rep_")
        ? showReport(context, subject, json)
        : printResult(context, json, {
            ...atItems(context, { clock, kinds: ITEM_KINDS, setAside: "all" }, (sources) =>
              showSubject(subject, sources),
            ),
          }),
    );

  for (const [action, about, value, description] of ACTIONS)
    defineAction(review, context, { action, about, value, description });

  defineCorrections(review, context);

  review
    .command("apply <file>")
    .description(
      "decide what a CSV file lists: action, subject, value, reason, optionally as and expect; all or nothing",
    )
    .requiredOption("--as <role>", "role of the reviewer for lines that name none; never a person")
    .option(...CLOCK_OPTION)
    .option("--json", "print one line of JSON for each decision")
    .action(async (file, { as, clock, json }) => {
      const list = readDecisions(readNamedFile(file), file, as);
      const outcomes = await atDesk(context, clock, (desk, ledger) => takeList(ledger, desk, list, file));
      if (json) for (const outcome of outcomes) printJson(context, outcome);
      else printResult(context, false, { file, ...counts(outcomes) });
    });
}

interface ActionText {
  readonly action: Action;
  readonly about: string;
  readonly value: string | undefined;
  readonly description: string;
}

function defineAction(review: Command, context: CommandContext, text: ActionText): void {
  const { action, about, value, description } = text;
  const command = withDecider(review.command(action).description(description)).argument(about);
  if (value !== undefined)
    command
      .argument(value)
      .action((subject, argument, options) =>
        takeOne(context, { action, subject, value: argument }, options),
      );
  else if (action === "accept")
    command
      .option("--into <record>", "for a match with several candidates: the one to keep")
      .action((subject, { into, ...options }) => takeOne(context, { action, subject, value: into }, options));
  else command.action((subject, options) => takeOne(context, { action, subject }, options));
}

/** Takes no lock: reviewers may list items while others write. */
async function listItems(
  context: CommandContext,
  { kind, city, setAside, limit, clock, json }: ListOptions,
): Promise<void> {
  const reports = kind === undefined || kind === "report" ? await openReports(context) : [];
  const kinds = kind === undefined ? ITEM_KINDS : ITEM_KINDS.filter((each) => each === kind);
  const wanted = { clock, kinds, setAside: setAside === "all" ? setAside : drawSetAside };
  const waiting = atItems(context, wanted, ({ items, ...facts }) =>
    byWaiting([...items, ...reports.map((report) => waitingReport(report, facts))]),
  );
  const items = waiting.filter((item) => city === undefined || item.city === city);
  printLines(
    context,
    items.slice(0, limit).map((item) => (json ? JSON.stringify(item) : itemLine(item))),
  );
  if (items.length === 0) context.stderr.write("no items\n");
  if (items.length > limit) context.stderr.write(`${limit} of ${items.length} items; --limit shows more\n`);
}

async function openReports(context: CommandContext): Promise<readonly Report[]> {
  await using state = await existingState(context);
  return (await state?.reports.open()) ?? [];
}

interface WantedItems {
  readonly clock: string | undefined;
  readonly kinds: readonly ItemKind[];
  readonly setAside: ItemSources["setAside"];
}

/** Reads the desk and its items of some kinds, as of `clock`. */
function atItems<T>(
  context: CommandContext,
  { clock, kinds, setAside }: WantedItems,
  read: (sources: ShowSources) => T,
): T {
  using reader = openLedgerReader(homeOf(context).ledger);
  const now = clockFor(context, reader.meta.environment, clock)();
  const { deskRows: rows, live } = reader;
  const state = new DeskState(rows.rows());
  const sources = { state, rows, now, stale: PARAMETERS.assets, setAside };
  return read({ state, live, items: waitingItems(sources, kinds) });
}

function itemLine({ item, waits_since, city, why, known }: Item | WaitingReport): string {
  const name = "name" in known ? ` "${String(known["name"])}"` : "";
  return `${item}  since ${waits_since}  ${city ?? "-"}${name}: ${why}`;
}

function counts(outcomes: readonly ListedOutcome[]): Record<string, number> {
  const of = (wanted: ListedOutcome["done"]) => outcomes.filter(({ done }) => done === wanted).length;
  return { decisions: outcomes.length, decided: of("decided"), already: of("already"), waits: of("waits") };
}
