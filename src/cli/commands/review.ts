import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { OperatorError } from "../../kernel/errors.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { PARAMETERS } from "../../method/numbers.ts";
import { type CommandContext, clockFor, existingState } from "../../operations/context.ts";
import { drawSetAside, type WaitingReport, waitingReport } from "../../operations/waiting-reports.ts";
import { type ListedOutcome, readDecisions, takeList } from "../../review/decision-list.ts";
import { Desk, type Outcome } from "../../review/desk.ts";
import { DeskState } from "../../review/desk-state.ts";
import { readIdentity, takeIdentity } from "../../review/identity.ts";
import {
  byWaiting,
  ITEM_KINDS,
  type Item,
  type ItemKind,
  type ItemSources,
  waitingItems,
} from "../../review/items.ts";
import { decider } from "../../review/moves.ts";
import type { Action, RecordMove } from "../../review/request.ts";
import { type ShowSources, showSubject } from "../../review/show.ts";
import type { Report } from "../../state/reports.ts";
import { type Bare, type Call, command } from "../command.ts";
import { collect, whole } from "../options.ts";
import { type Fields, JsonLines, lines, noted, Output } from "../output.ts";
import { corrections, withRole } from "./corrections.ts";
import { shownReport } from "./reports.ts";

/** Items wait in the ledger, reports in the state. */
const KINDS = [...ITEM_KINDS, "report"] as const;

const DEFAULT_ITEMS = 50;
const MAX_ITEMS = 100_000;

const listItems = command({
  path: "review list",
  does: "list the items that need a review, the longest waiting first",
  takes: (bare: Bare) =>
    bare
      .addOption(new Option("--kind <kind>", "only of this kind").choices(KINDS))
      .option("--city <slug>", "only of this city")
      .addOption(
        new Option(
          "--set-aside <which>",
          "of the observations that checks set aside: a random sample, or all",
        )
          .choices(["sample", "all"] as const)
          .default("sample" as const),
      )
      .option("--limit <n>", "maximum number of items", whole("--limit", MAX_ITEMS), DEFAULT_ITEMS),
  access: "read",
  clock: "reads",
  json: "print one item a line as JSON",
  async run(call, { kind, city, setAside, limit }) {
    const reports = kind === undefined || kind === "report" ? await openReports(call.context) : [];
    const kinds = kind === undefined ? ITEM_KINDS : ITEM_KINDS.filter((each) => each === kind);
    const { items: found, ...facts } = itemsOf(call, kinds, setAside === "all" ? setAside : drawSetAside);
    const waiting = byWaiting([...found, ...reports.map((report) => waitingReport(report, facts))]);
    const items = waiting.filter((item) => city === undefined || item.city === city);
    return lines(items.slice(0, limit), {
      line: itemLine,
      json: (item) => item,
      notes: [
        ...(items.length === 0 ? ["no items"] : []),
        ...(items.length > limit ? [`${limit} of ${items.length} items; --limit shows more`] : []),
      ],
    });
  },
});

const showItem = command({
  path: "review show",
  does: "show all that is known of an item, a record, an asset or an observation (public id or row)",
  takes: (bare: Bare) => bare.argument("<item>"),
  access: "read",
  clock: "reads",
  run: (call, _, subject) =>
    subject.startsWith("rep_")
      ? shownReport(call.context, subject)
      : { ...showSubject(subject, itemsOf(call, ITEM_KINDS, "all")) },
});

async function openReports(context: CommandContext): Promise<readonly Report[]> {
  await using state = await existingState(context);
  return (await state?.reports.open()) ?? [];
}

/** Reads the desk and its items of some kinds, as of `--clock`. */
function itemsOf(
  { context, clock, ledger: { meta, deskRows: rows, live } }: Call<"read">,
  kinds: readonly ItemKind[],
  setAside: ItemSources["setAside"],
): ShowSources {
  const now = clockFor(context, meta.environment, clock)();
  const state = new DeskState(rows.rows());
  return {
    state,
    live,
    items: waitingItems({ state, rows, now, stale: PARAMETERS.assets, setAside }, kinds),
  };
}

function itemLine({ item, waits_since, city, why, known }: Item | WaitingReport): string {
  const name = "name" in known ? ` "${String(known["name"])}"` : "";
  return `${item}  since ${waits_since}  ${city ?? "-"}${name}: ${why}`;
}

function counts(outcomes: readonly ListedOutcome[]): Record<string, number> {
  const of = (wanted: ListedOutcome["done"]) => outcomes.filter(({ done }) => done === wanted).length;
  return { decisions: outcomes.length, decided: of("decided"), already: of("already"), waits: of("waits") };
}

/** [action, what it is about, what it does] */
const ACTIONS: readonly (readonly [Action, string, string])[] = [
  ["reject", "<item>", "reject an item, or an observation (its row)"],
  ["flag", "<record>", "keep a record out of rankings until its evidence is reviewed"],
  ["unflag", "<record>", "remove a flag"],
  ["retire", "<asset>", "record that a sign or vehicle is gone"],
  ["unretire", "<asset>", "record that it still exists"],
];
const MOVES: readonly (readonly [RecordMove, string])[] = [
  ["claim", "record that the business's operator has claimed the record"],
  ["verify", "record that the claim was verified"],
  ["dissolve", "record that the business has closed"],
  ["reopen", "undo the dissolution: the record gets its earlier status back"],
];

/** The options of a decision that is not previewed. */
function withDecider<A extends unknown[], O extends OptionValues>(bare: Command<A, O>) {
  return withRole(bare).option(
    "--expect <row>",
    "the version that you saw: refuse if it has changed since",
    expectedRow,
  );
}

function expectedRow(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OperatorError(`--expect must be the number of a row (got ${text})`);
}

const accept = command({
  path: "review accept",
  does: "confirm an item, or an observation (its row)",
  takes: (bare: Bare) =>
    withDecider(bare.argument("<item>")).option(
      "--into <record>",
      "for a match with several candidates: the one to keep",
    ),
  access: "append",
  clock: "writes rows",
  run: ({ ledger }, { into: value, ...by }, subject) =>
    decide(ledger, { action: "accept", subject, value }, by),
});

const classify = command({
  path: "review classify",
  does: "set the industry; `none` if none applies",
  takes: (bare: Bare) => withDecider(bare.argument("<record>").argument("<isic>")),
  access: "append",
  clock: "writes rows",
  run: ({ ledger }, by, subject, value) => decide(ledger, { action: "classify", subject, value }, by),
});

const decision = (path: string, action: Action, about: string, does: string) =>
  command({
    path,
    does,
    takes: (bare: Bare) => withDecider(bare.argument(about)),
    access: "append",
    clock: "writes rows",
    run: ({ ledger }, by, subject) => decide(ledger, { action, subject }, by),
  });

interface By {
  readonly as: string;
  readonly reason: string;
  readonly expect?: number | undefined;
}

/** Makes one decision. */
function decide(
  ledger: LedgerWriter,
  request: { readonly action: Action; readonly subject: string; readonly value?: string | undefined },
  by: By,
): Output {
  return decided(ledger, request, (desk) =>
    desk.take({ ...request, value: request.value, ...deciderOf(by) }),
  );
}

function deciderOf({ as, reason, expect }: By) {
  return { decider: decider(as, reason), expect };
}

const NOTES: Readonly<Partial<Record<Outcome["done"], string>>> = {
  already: "nothing was written: the ledger already says so",
  waits: "nothing was written: the line was accepted before, and becomes a row when its day is sealed",
};

function decided(ledger: LedgerWriter, request: Fields, take: (desk: Desk) => Outcome): Output {
  const desk = new Desk(ledger);
  const { done, row } = ledger.transaction(() => take(desk));
  const note = NOTES[done];
  return noted({ ...request, done, row }, ...(note === undefined ? [] : [note]));
}

const apply = command({
  path: "review apply",
  does: "decide what a CSV file lists: action, subject, value, reason, optionally as and expect; all or nothing",
  takes: (bare: Bare) =>
    bare
      .argument("<file>")
      .requiredOption("--as <role>", "role of the reviewer for lines that name none; never a person"),
  access: "append",
  clock: "writes rows",
  json: "print one line of JSON for each decision",
  prepare(_, { as }, file) {
    const list = readDecisions(readNamedFile(file), file, as);
    return ({ ledger }) => {
      const outcomes = takeList(ledger, new Desk(ledger), list, file);
      return new Output({ json: new JsonLines(outcomes), text: { file, ...counts(outcomes) } });
    };
  },
});

const setIdentity = command({
  path: "identity set",
  does: "publish a reviewed identity in place of the previous one",
  takes: (bare: Bare) =>
    withDecider(
      bare
        .argument("<record>")
        .requiredOption("--scope <code>", "for example local_independent")
        .option("--brand <parts>", "id|name|domain")
        .option("--organization <parts>", "relationship|id|name|type|domain; repeatable", collect, [])
        .option("--same-as <url>", "a link to the same business elsewhere; repeatable", collect, []),
    ),
  access: "append",
  clock: "writes rows",
  prepare(_, { scope, brand, organization, sameAs, ...by }, subject) {
    const identity = readIdentity({ scope, brand, organizations: organization, sameAs });
    return ({ ledger }) => identify(ledger, { action: "set identity", subject }, identity, by);
  },
});

const clearIdentity = command({
  path: "identity clear",
  does: "withdraw the identity: the record is unreviewed again",
  takes: (bare: Bare) => withDecider(bare.argument("<record>")),
  access: "append",
  clock: "writes rows",
  run: ({ ledger }, by, subject) => identify(ledger, { action: "clear identity", subject }, null, by),
});

function identify(
  ledger: LedgerWriter,
  request: { readonly action: string; readonly subject: string },
  identity: ReturnType<typeof readIdentity> | null,
  by: By,
): Output {
  const { subject } = request;
  return decided(ledger, request, (desk) => takeIdentity(desk, { subject, identity, ...deciderOf(by) }));
}

export const commands = [
  ...[listItems, showItem, accept, classify],
  ...ACTIONS.map(([action, about, does]) => decision(`review ${action}`, action, about, does)),
  ...[...corrections, apply],
  ...MOVES.map(([move, does]) => decision(`record ${move}`, move, "<public-id>", does)),
  ...[setIdentity, clearIdentity],
];
