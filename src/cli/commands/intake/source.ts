import type { Command } from "@commander-js/extra-typings";
import { Option } from "@commander-js/extra-typings";
import { AssetType, SourceType, Vetting } from "../../../contract/enums.ts";
import { activeSince } from "../../../intake/sources/entry.ts";
import { addSource, knownSource, stepSource } from "../../../intake/sources/source-desk.ts";
import { utcDayStart } from "../../../kernel/time.ts";
import type { Source } from "../../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../../ledger/writer.ts";
import { type CommandContext, openWriter, printList, printResult } from "../../../operations/context.ts";
import { leaving } from "../../../operations/erasure/requests.ts";
import { openCurrentWriter } from "../../../operations/take-in.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";
import { runTakeOut } from "../../erasure.ts";

export function define(source: Command, context: CommandContext): void {
  defineAdd(source, context);
  defineReads(source, context);
  defineSteps(source, context);
  defineWithdraw(source, context);
}

function defineAdd(source: Command, context: CommandContext): void {
  source
    .command("add <id>")
    .description("register a source; lines name it by its id, which is public")
    .addOption(new Option("--kind <type>", "source type").choices(SourceType.options).makeOptionMandatory())
    .addOption(
      new Option("--vetting <how>", "individual: each observer by itself; collective: all as one principal")
        .choices(Vetting.options)
        .makeOptionMandatory(),
    )
    .requiredOption(
      "--operator <name>",
      "who operates it; the same observer id is one observer in all its sources",
    )
    .requiredOption("--licence <reference>", "the licence on file")
    .requiredOption("--consent <reference>", "the consent on file")
    .option("--name <name>", "what it is called")
    .option("--public-name", "publish its name and its operator")
    .addOption(
      new Option("--asset-types <types...>", "asset types that it can plausibly see")
        .choices(AssetType.options)
        .default(AssetType.options),
    )
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async (id, { clock, json, name, publicName, ...source }) => {
      using ledger = await openCurrentWriter(context, clock);
      const added = addSource(ledger, { ...source, id, name: name ?? null, isNamed: publicName === true });
      const { row, kind, vetting, state } = added;
      printResult(context, json, { source: id, row, kind, vetting, state });
    });
}

function defineReads(source: Command, context: CommandContext): void {
  source
    .command("list")
    .description("list the registered sources")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      using ledger = openWriter(context);
      const line = ({ id, kind, vetting, state }: Source) => `${id}  ${kind}  ${vetting}  ${state}`;
      printList(context, json, ledger.sources.sources(), line);
    });

  source
    .command("show <id>")
    .description("show a source with its observers of the last 30 days")
    .option(...JSON_OPTION)
    .action((id, { json }) => {
      using ledger = openWriter(context);
      printResult(context, json, shown(ledger, id));
    });
}

function defineSteps(source: Command, context: CommandContext): void {
  for (const [step, description] of Object.entries(STEPS).flatMap(([name, text]) =>
    isStep(name) ? [[name, text] as const] : [],
  ))
    source
      .command(`${step} <id>`)
      .description(description)
      .option(...CLOCK_OPTION)
      .option(...JSON_OPTION)
      .action(async (id, { clock, json }) => {
        using ledger = await openCurrentWriter(context, clock);
        printResult(context, json, { source: id, step, row: stepSource(ledger, id, step) });
      });
}

function defineWithdraw(source: Command, context: CommandContext): void {
  source
    .command("withdraw <id>")
    .description("end a source for good and take all its rows out of the ledger")
    .option("--confirm <code>", "withdraw it; without it, only preview what goes and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action((id, options) => runTakeOut(context, leaving(`source withdraw ${id}`, { source: id }), options));
}

const STEPS = {
  suspend: "refuse lines of a source until it is resumed; its rows stay",
  resume: "accept lines of a suspended source again",
} as const;

function isStep(name: string): name is keyof typeof STEPS {
  return Object.hasOwn(STEPS, name);
}

function shown(ledger: LedgerWriter, id: string) {
  const { assetTypes, row, ...source } = knownSource(ledger, id);
  const since = activeSince(utcDayStart(ledger.now()));
  return {
    ...source,
    row,
    asset_types: assetTypes.join(", "),
    active_observers_30d: ledger.sources.activeObservers(since).get(id) ?? 0,
  };
}
