import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { OperatorError } from "../../kernel/errors.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { clockFor } from "../../operations/context.ts";
import { itemsOf } from "../../operations/review-queue.ts";
import { type ListedOutcome, readDecisions, takeList } from "../../review/decision-list.ts";
import { Desk, type Outcome } from "../../review/desk.ts";
import { readIdentity, takeIdentity } from "../../review/identity.ts";
import { ITEM_KINDS } from "../../review/items.ts";
import { decider } from "../../review/moves.ts";
import { type GroupRequest, planGroup } from "../../review/queue/decide-group.ts";
import { isGroupKey } from "../../review/queue/groups.ts";
import type { Action, RecordMove } from "../../review/request.ts";
import { type Bare, type Call, command } from "../command.ts";
import { collect } from "../options.ts";
import { type Fields, JsonLines, noted, Output, Preview } from "../output.ts";
import { corrections, withRole } from "./corrections.ts";
import { queueCommands } from "./review-list.ts";

function counts(outcomes: readonly ListedOutcome[]): Record<string, number> {
  const of = (wanted: ListedOutcome["done"]) => outcomes.filter(({ done }) => done === wanted).length;
  return { decisions: outcomes.length, decided: of("decided"), already: of("already"), waits: of("waits") };
}

/** [action, what it is about, what it does] */
const ACTIONS: readonly (readonly [Action, string, string])[] = [
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
    "the version that you saw: refused if it has changed since",
    expectedRow,
  );
}

function expectedRow(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OperatorError(`--expect must be the number of a row (got ${text})`);
}

/** Options of the answers that groups take as well as items. */
function withGroup<A extends unknown[], O extends OptionValues>(bare: Command<A, O>) {
  return withDecider(bare)
    .option("--city <slug>", "of a group: only what is in this city")
    .addOption(new Option("--kind <kind>", "of a group: only items of this kind").choices(ITEM_KINDS));
}

const GROUPED = {
  access: "append",
  clock: "writes rows",
  confirm: "decide the previewed group; single items need no confirmation",
} as const;

const accept = command({
  ...GROUPED,
  path: "review accept",
  does: "confirm an item, an observation (its row), or all items of a group",
  takes: (bare: Bare) =>
    withGroup(
      bare
        .argument("<item>")
        .option("--into <record>", "for a match with several candidates: the one to keep"),
    ),
  run: (call, { into: value, ...by }, subject) => answer(call, { action: "accept", subject, value }, by),
});

const reject = command({
  ...GROUPED,
  path: "review reject",
  does: "reject an item, an observation (its row), or all items of a group",
  takes: (bare: Bare) => withGroup(bare.argument("<item>")),
  run: (call, by, subject) => answer(call, { action: "reject", subject }, by),
});

const classify = command({
  ...GROUPED,
  path: "review classify",
  does: "set the industry of a record, or of all records of a group; `none` if none applies",
  takes: (bare: Bare) => withGroup(bare.argument("<record>").argument("<isic>")),
  run: (call, by, subject, value) => answer(call, { action: "classify", subject, value }, by),
});

interface Answer extends Pick<GroupRequest, "action" | "value"> {
  readonly subject: string;
}

interface AnsweredBy extends By, Pick<GroupRequest, "city" | "kind"> {}

/** Decides about an item at once, and previews what the decision about a group would change. */
function answer(call: Call<"append">, request: Answer, { city, kind, ...by }: AnsweredBy): Output {
  const { subject, ...rest } = request;
  if (isGroupKey(subject)) return groupPreview(call, { group: subject, ...rest, city, kind }, by);
  if (city !== undefined || kind !== undefined || call.confirm !== undefined)
    throw new OperatorError("--city, --kind and --confirm are for groups, such as rule:5610");
  return decide(call.ledger, request, by);
}

function groupPreview({ ledger, context, clock }: Call<"append">, request: GroupRequest, by: By): Preview {
  if (by.expect !== undefined)
    throw new OperatorError("--expect is for items: confirm a group with the code of its preview");
  const deciding = decider(by.as, by.reason);
  const desk = new Desk(ledger);
  const now = clockFor(context, ledger.meta.environment, clock)();
  const items = itemsOf(desk.state, { ledger, now });
  const { group, label, effect, code, decide: decideAll } = planGroup({ desk, ledger, items }, request);
  const { key, kind, question, cities, sample } = group;
  return new Preview({
    fields: { group: key, kind, question, answer: label, effect, items: group.items, cities, sample },
    texts: {
      cities: cities.map((each) => `${each.city ?? "-"} (${each.items})`).join(", "),
      sample: sample.map(({ name, detail }) => `“${name}” ${detail}`).join("; "),
    },
    notes: ["Each item is decided separately, by its own row where it has one."],
    code,
    next: "To do this, run the command again with",
    confirmed: () => ({ group: key, ...ledger.transaction(() => decideAll(deciding)) }),
  });
}

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
  waits: "nothing was written: the line was already accepted, and becomes a row when its day is sealed",
};

function decided(ledger: LedgerWriter, request: Fields, take: (desk: Desk) => Outcome): Output {
  const desk = new Desk(ledger);
  const { done, row } = ledger.transaction(() => take(desk));
  const note = NOTES[done];
  return noted({ ...request, done, row }, ...(note === undefined ? [] : [note]));
}

const apply = command({
  path: "review apply",
  does: "apply the decisions of a CSV file (action, subject, value, reason, optionally as and expect), all or none",
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
        .option("--same-as <url>", "a link to the same business on another site; repeatable", collect, []),
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
  does: "withdraw the identity, so the record is unreviewed again",
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
  ...[...queueCommands, accept, reject, classify],
  ...ACTIONS.map(([action, about, does]) => decision(`review ${action}`, action, about, does)),
  ...[...corrections, apply],
  ...MOVES.map(([move, does]) => decision(`record ${move}`, move, "<public-id>", does)),
  ...[setIdentity, clearIdentity],
];
