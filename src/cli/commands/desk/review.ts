import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { hasErrorCode, OperatorError } from "../../../kernel/errors.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { PARAMETERS } from "../../../method/parameters.ts";
import { type CommandContext, clockFor, homeOf, printResult } from "../../../operations/context.ts";
import { existingState } from "../../../operations/existing-state.ts";
import { type WaitingReport, waitingReport } from "../../../operations/waiting-reports.ts";
import { type ListedOutcome, readDecisions, takeList } from "../../../review/decision-list.ts";
import { DeskState } from "../../../review/desk-state.ts";
import { byWaiting, ITEM_KINDS, type Item, type ItemKind, waitingItems } from "../../../review/items.ts";
import type { Action } from "../../../review/request.ts";
import { type ShowSources, showSubject } from "../../../review/show.ts";
import type { Report } from "../../../state/reports/report-row.ts";
import { showReport } from "./report.ts";
import { addDeciderOptions, atDesk, type DeciderOptions, takeOne } from "./review-parts.ts";

/** What waits in the ledger, and what waits in the state. */
const KINDS = [...ITEM_KINDS, "report"] as const;

interface ListOptions {
  readonly kind?: (typeof KINDS)[number];
  readonly city?: string;
  readonly limit: number;
  readonly clock?: string;
  readonly json?: boolean;
}

interface ApplyOptions {
  readonly as: string;
  readonly clock?: string;
  readonly json?: boolean;
}

const DEFAULT_ITEMS = 50;

/** [action, what it is about, its value, what it does] */
const ACTIONS: readonly (readonly [Action, string, string, string])[] = [
  ["accept", "<item>", "", "say yes to an item, or that an observation (its row) is right"],
  ["reject", "<item>", "", "say no to an item, or that an observation (its row) is wrong"],
  ["merge", "<record>", "<into>", "one business: the first record goes into the second"],
  ["classify", "<record>", "<isic>", "settle the industry; `none` when none can be given"],
  ["flag", "<record>", "", "keep a record out of rankings until its evidence was looked at"],
  ["unflag", "<record>", "", "take a flag back"],
  ["retire", "<asset>", "", "say that a sign or vehicle is gone"],
  ["unretire", "<asset>", "", "say that it is there after all"],
];

export function defineReview(review: Command, context: CommandContext): void {
  review
    .command("list")
    .description("what waits, the longest waiting first")
    .addOption(new Option("--kind <kind>", "only of this kind").choices(KINDS))
    .option("--city <slug>", "only of this city")
    .option("--limit <n>", "so many at most", limit, DEFAULT_ITEMS)
    .option("--clock <time>", "the time to look from; not for production ledgers")
    .option("--json", "print one item a line as JSON")
    .action((options: ListOptions) => listItems(context, options));

  review
    .command("show <item>")
    .description("all that is known of an item, a record, an asset or an observation (public id or row)")
    .option("--clock <time>", "the time to look from; not for production ledgers")
    .option("--json", "print it as JSON")
    .action((subject: string, { clock, json }: { clock?: string; json?: boolean }) =>
      showOne(context, subject, { clock, json }),
    );

  for (const [action, about, value, description] of ACTIONS)
    addAction(review, context, { action, about, value, description });

  review
    .command("apply <file>")
    .description(
      "decide what a CSV file says: action, subject, value, reason, and if wanted as, expect; all or nothing",
    )
    .requiredOption("--as <role>", "who decides where a line names no role; never a person")
    .option("--clock <time>", "time of the decisions; not for production ledgers")
    .option("--json", "print one line of JSON for each decision")
    .action((file: string, options: ApplyOptions) => applyList(context, file, options));
}

function addAction(
  review: Command,
  context: CommandContext,
  {
    action,
    about,
    value,
    description,
  }: { action: Action; about: string; value: string; description: string },
): void {
  const command = review.command([action, about, value].filter(Boolean).join(" ")).description(description);
  addDeciderOptions(command);
  if (action === "accept")
    command.option("--into <record>", "of several candidates of a match: the one that stays");
  command.action((subject: string, ...rest: unknown[]) => {
    const options = command.opts<DeciderOptions & { readonly into?: string }>();
    const given = value === "" ? options.into : String(rest[0]);
    takeOne(context, { action, subject, value: given }, options);
  });
}

/** Reading needs no lock: reviewers may look while others write. */
async function listItems(context: CommandContext, options: ListOptions): Promise<void> {
  const { kind, city, limit: most, clock, json } = options;
  const reports = kind === undefined || kind === "report" ? await openReports(context) : [];
  const kinds = kind === undefined ? ITEM_KINDS : ITEM_KINDS.filter((each) => each === kind);
  const waiting = looking(context, clock, kinds, ({ items, ...facts }) =>
    byWaiting([...items, ...reports.map((report) => waitingReport(report, facts))]),
  );
  const items = waiting.filter((item) => city === undefined || item.city === city);
  for (const item of items.slice(0, most))
    context.stdout.write(json === true ? `${JSON.stringify(item)}\n` : itemLine(item));
  if (items.length === 0) context.stderr.write("nothing waits\n");
  if (items.length > most) context.stderr.write(`${most} of ${items.length} items; --limit shows more\n`);
}

/** None where there is no state. */
async function openReports(context: CommandContext): Promise<readonly Report[]> {
  await using state = await existingState(context);
  return (await state?.reports.open()) ?? [];
}

async function showOne(
  context: CommandContext,
  subject: string,
  { clock, json }: { clock?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  if (subject.startsWith("rep_")) return showReport(context, subject, json);
  const shown = looking(context, clock, ITEM_KINDS, (sources) => showSubject(subject, sources));
  printResult(context, json, { ...shown });
}

function looking<T>(
  context: CommandContext,
  clock: string | undefined,
  kinds: readonly ItemKind[],
  at: (sources: ShowSources) => T,
): T {
  using reader = openLedgerReader(homeOf(context).ledger);
  const now = clockFor(context, reader.meta.environment, clock)();
  const { rows, live } = reader.desk();
  const state = new DeskState(rows.rows());
  return at({ state, live, items: waitingItems({ state, rows, now, stale: PARAMETERS.assets }, kinds) });
}

function itemLine({ item, waits_since, city, why, known }: Item | WaitingReport): string {
  const name = "name" in known ? ` "${String(known["name"])}"` : "";
  return `${item}  since ${waits_since}  ${city ?? "-"}${name}: ${why}\n`;
}

function applyList(context: CommandContext, file: string, { as, clock, json }: ApplyOptions): void {
  const list = readDecisions(readText(file), file, as);
  const outcomes = atDesk(context, clock, (desk, ledger) => takeList(ledger, desk, list, file));
  if (json === true) for (const outcome of outcomes) context.stdout.write(`${JSON.stringify(outcome)}\n`);
  else printResult(context, false, { file, ...counts(outcomes) });
}

function counts(outcomes: readonly ListedOutcome[]): Record<string, number> {
  const decided = outcomes.filter(({ done }) => done === "decided").length;
  return { decisions: outcomes.length, decided, already: outcomes.length - decided };
}

function readText(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") && !(error instanceof TypeError)) throw error;
    const problem = error instanceof TypeError ? "it is not UTF-8" : "there is no such file";
    throw new OperatorError(`${file}: ${problem}`, { cause: error });
  }
}

function limit(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 100_000)
    throw new InvalidArgumentError("Give a whole number from 1 to 100000.");
  return count;
}
