import type { Command } from "@commander-js/extra-typings";
import { assertConfirmed } from "../../../kernel/confirmation.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printJson, printLines, printResult } from "../../../operations/context.ts";
import type { Correction, DeskAtWork } from "../../../review/corrections/correction.ts";
import { planApart, planJoin, planUnapart, planUnjoin } from "../../../review/corrections/pair.ts";
import { planRename, planRuleNaming } from "../../../review/corrections/rename.ts";
import { planSplit, planUnsplit } from "../../../review/corrections/split.ts";
import { decider } from "../../../review/reasons.ts";
import { whole } from "../../command.ts";
import { atDesk, type DeciderOptions, withRole } from "../../desk.ts";

interface CorrectionOptions extends Omit<DeciderOptions, "expect"> {
  readonly confirm?: string | undefined;
}

/** Corrections of whose evidence is whose: each is previewed, and done with the code of the preview. */
export function defineCorrections(review: Command, context: CommandContext): void {
  defineSplit(review, context);
  defineRename(review, context);
  definePair(review, context, {
    name: "join",
    description: "join two records of one business: the first goes into the second",
    plans: [planJoin, planUnjoin],
  });
  definePair(review, context, {
    name: "apart",
    description: "keep two records that look like one business apart",
    plans: [planApart, planUnapart],
  });
}

function correction(review: Command, name: string, description: string) {
  return withRole(review.command(name).description(description))
    .argument("<record>")
    .option("--undo", "take it back, by rows of its own")
    .option("--confirm <code>", "do it; without it, only preview it and print the code");
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];
const MAX_ROW = 999_999_999_999_999;
const row = whole("--row", MAX_ROW);

function defineSplit(review: Command, context: CommandContext): void {
  correction(
    review,
    "split",
    "move the observations of another business to a record of its own; each option can be repeated",
  )
    .option("--asset <public-id>", "all of this sign or vehicle", collect, [])
    .option("--seen <name>", "all whose line gave this name", collect, [])
    .option("--website <address>", "all whose line gave this website", collect, [])
    .option(
      "--row <row>",
      "this observation",
      (text: string, before: readonly number[]) => [...before, row(text)],
      [],
    )
    .option("--name <name>", "how the new record is called; without it, the rule for names decides")
    .action((record, { asset, seen, website, row: rows, name, undo, ...options }) => {
      const asked = { record, assets: asset, seen, websites: website, rows };
      const called = name === undefined ? undefined : { name };
      return run(context, options, (at) =>
        undo ? planUnsplit(at, record) : planSplit(at, { ...asked, called }),
      );
    });
}

function defineRename(review: Command, context: CommandContext): void {
  correction(review, "rename", "say how a record is called, whatever lines say")
    .option("--name <name>", "its name")
    .option("--website <address>", "its website; `none` if it has none")
    .action((record, { name, website, undo, ...options }) => {
      if (!undo && name === undefined) throw new OperatorError("rename: give --name, or --undo");
      return run(context, options, (at) =>
        undo || name === undefined ? planRuleNaming(at, record) : planRename(at, record, { name, website }),
      );
    });
}

interface PairCommand {
  readonly name: string;
  readonly description: string;
  readonly plans: readonly [plan: PlanOfPair, back: PlanOfPair];
}

type PlanOfPair = (at: DeskAtWork, record: string, other: string) => Correction;

function definePair(
  review: Command,
  context: CommandContext,
  { name, description, plans: [plan, back] }: PairCommand,
): void {
  correction(review, name, description)
    .argument("<other>")
    .action((record, other, { undo, ...options }) =>
      run(context, options, (at) => (undo ? back : plan)(at, record, other)),
    );
}

async function run(
  context: CommandContext,
  { as, reason, confirm, clock, json }: CorrectionOptions,
  planned: (at: DeskAtWork) => Correction,
): Promise<void> {
  const by = decider(as, reason);
  await atDesk(context, clock, (desk, ledger) => {
    const { shown, notes, code, make } = planned({ desk, ledger });
    if (confirm === undefined) {
      preview(context, json, { shown, notes, code });
      return;
    }
    assertConfirmed(confirm, code);
    const first = ledger.transaction(() => make(by));
    const newRecord = desk.state.records.get(first)?.body.public_id;
    printResult(context, json, {
      correction: shown["correction"] ?? null,
      done: "decided",
      row: first,
      ...(newRecord !== undefined && { new_record: newRecord }),
    });
  });
}

function preview(
  context: CommandContext,
  json: boolean | undefined,
  { shown, notes, code }: Omit<Correction, "make">,
): void {
  if (json) {
    printJson(context, { ...shown, confirm: code, notes: [...notes] });
    return;
  }
  const lines = Object.entries(shown).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  printResult(context, false, Object.fromEntries(lines));
  const next = `To do this, run the command again with --confirm ${code}`;
  printLines(context, ["", ...notes.map((note) => `- ${note}`), "", next]);
}
