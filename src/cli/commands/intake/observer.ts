import type { Command } from "@commander-js/extra-typings";
import { enrol, link, setSuspended } from "../../../intake/sources/source-desk.ts";
import type { KnownObserver } from "../../../ledger/sources/source-store.ts";
import { type CommandContext, openWriter, printResult } from "../../../operations/context.ts";
import { leaving } from "../../../operations/erasure/requests.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";
import { runTakeOut } from "../../erasure.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .command("enrol <source> <observer>")
    .description("say who controls an observer, and whether you vouch for it")
    .option("--principal <name>", "the person or organization that controls it; the name stays with you")
    .option("--vouch", "you know the observer and its work: it is established at once; counted by source")
    .option(...JSON_OPTION)
    .action((source, observer, { principal, vouch, json }) => {
      using ledger = openWriter(context);
      const enrolment = { principal, isVouched: vouch === true };
      print(context, json, { source, observer }, enrol(ledger, { source, observer }, enrolment));
    });

  command
    .command("link <source> <observer> <other-source> <other-observer>")
    .description("say that two observers are one principal")
    .option(...JSON_OPTION)
    .action((source, observer, otherSource, otherObserver, { json }) => {
      using ledger = openWriter(context);
      const linked = link(ledger, { source, observer }, { source: otherSource, observer: otherObserver });
      print(
        context,
        json,
        { source, observer, other_source: otherSource, other_observer: otherObserver },
        linked,
      );
    });

  for (const [name, isSuspended, description] of [
    ["suspend", true, "stop an observer's rows from counting, row by row within 14 days"],
    ["resume", false, "let the rows of a suspended observer count again"],
  ] as const)
    command
      .command(`${name} <source> <observer>`)
      .description(description)
      .option(...JSON_OPTION)
      .action((source, observer, { json }) => {
        using ledger = openWriter(context);
        print(context, json, { source, observer }, setSuspended(ledger, { source, observer }, isSuspended));
      });

  command
    .command("erase <source> <observer>")
    .description("take all rows of an observer out of the ledger")
    .option("--confirm <code>", "erase for good; without it, only preview what goes and print the code")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action((source, observer, options) => {
      const request = leaving(`observer erase ${source} ${observer}`, { observer: { source, observer } });
      return runTakeOut(context, request, options);
    });
}

function print(
  context: CommandContext,
  json: boolean | undefined,
  named: Readonly<Record<string, string>>,
  { isSuspended, isVouched, observer, principal }: KnownObserver,
): void {
  printResult(context, json, {
    ...named,
    vouched: isVouched,
    suspended: isSuspended,
    own_principal: observer === principal,
  });
}
