/** Corrections of whose evidence is whose: each is previewed, and done with the code of the preview. */

import type { Command, OptionValues } from "@commander-js/extra-typings";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Correction, DeskAtWork } from "../../review/corrections/correction.ts";
import { planApart, planJoin, planUnapart, planUnjoin } from "../../review/corrections/pair.ts";
import { planRename, planRuleNaming } from "../../review/corrections/rename.ts";
import { planSplit, planUnsplit } from "../../review/corrections/split.ts";
import { Desk } from "../../review/desk.ts";
import { decider } from "../../review/moves.ts";
import { type Bare, command } from "../command.ts";
import { collect, whole } from "../options.ts";
import { Preview } from "../output.ts";

/** The options of every command that decides. */
export function withRole<A extends unknown[], O extends OptionValues>(bare: Command<A, O>) {
  return bare
    .requiredOption("--as <role>", "role of the reviewer (review-desk), never a person: it is published")
    .requiredOption("--reason <code>", "why; docs/states.md lists the codes");
}

const correction = (bare: Command) =>
  withRole(bare).argument("<record>").option("--undo", "undo it, by new rows");

const COMMON = {
  access: "append",
  clock: "writes rows",
  confirm: "apply it; without it, only preview it and print the code",
} as const;

const MAX_ROW = 999_999_999_999_999;
const row = whole("--row", MAX_ROW);

const split = command({
  ...COMMON,
  path: "review split",
  does: "move observations of another business to a new record; each option can be repeated",
  takes: (bare: Bare) =>
    correction(bare)
      .option("--asset <public-id>", "all observations of this sign or vehicle", collect, [])
      .option("--seen <name>", "all observations whose line has this name", collect, [])
      .option("--website <address>", "all observations whose line has this website", collect, [])
      .option(
        "--row <row>",
        "this observation",
        (text: string, before: readonly number[]) => [...before, row(text)],
        [],
      )
      .option("--name <name>", "name of the new record; by default, the rule for names decides"),
  run({ ledger }, { asset: assets, seen, website, row: rows, name, undo, ...by }, record) {
    const called = name === undefined ? undefined : { name };
    return preview(ledger, by, (at) =>
      undo
        ? planUnsplit(at, record)
        : planSplit(at, { record, assets, seen, websites: website, rows, called }),
    );
  },
});

const rename = command({
  ...COMMON,
  path: "review rename",
  does: "set the name of a record, regardless of its lines",
  takes: (bare: Bare) =>
    correction(bare)
      .option("--name <name>", "its name")
      .option("--website <address>", "its website; `none` if it has none"),
  prepare(_, { name, website, undo, ...by }, record) {
    if (!undo && name === undefined) throw new OperatorError("rename: give --name, or --undo");
    return ({ ledger }) =>
      preview(ledger, by, (at) =>
        undo || name === undefined ? planRuleNaming(at, record) : planRename(at, record, { name, website }),
      );
  },
});

type PlanOfPair = (at: DeskAtWork, record: string, other: string) => Correction;

const pair = (name: string, does: string, plan: PlanOfPair, back: PlanOfPair) =>
  command({
    ...COMMON,
    path: `review ${name}`,
    does,
    takes: (bare: Bare) => correction(bare).argument("<other>"),
    run: ({ ledger }, { undo, ...by }, record, other) =>
      preview(ledger, by, (at) => (undo ? back : plan)(at, record, other)),
  });

export const corrections = [
  split,
  rename,
  pair("join", "join two records of one business: the first goes into the second", planJoin, planUnjoin),
  pair("apart", "keep two similar records apart", planApart, planUnapart),
];

function preview(
  ledger: LedgerWriter,
  { as, reason }: { readonly as: string; readonly reason: string },
  planned: (at: DeskAtWork) => Correction,
): Preview {
  const by = decider(as, reason);
  const desk = new Desk(ledger);
  const { shown, notes, code, make } = planned({ desk, ledger });
  const texts = Object.entries(shown).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return new Preview({
    fields: { ...shown },
    texts: Object.fromEntries(texts),
    notes,
    code,
    next: "To do this, run the command again with",
    confirmed() {
      const first = ledger.transaction(() => make(by));
      const newRecord = desk.state.records.get(first)?.body.public_id;
      return {
        correction: shown["correction"] ?? null,
        done: "decided",
        row: first,
        ...(newRecord !== undefined && { new_record: newRecord }),
      };
    },
  });
}
