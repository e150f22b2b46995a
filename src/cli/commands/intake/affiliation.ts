import type { Command } from "@commander-js/extra-typings";
import { reteachPrincipal } from "../../../intake/matching/reteach.ts";
import { principalOf, type Run, runSubject } from "../../../intake/sources/source-desk.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import type { LedgerWriter } from "../../../ledger/writer.ts";
import { type CommandContext, openWriter, printList, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

interface AffiliationOptions {
  readonly record?: string | undefined;
  readonly brand?: string | undefined;
  readonly json?: true | undefined;
}

export function define(command: Command, context: CommandContext): void {
  for (const [name, description, work] of [
    [
      "add",
      "say that a principal runs a record, its brand or its vehicles: it is never independent of them",
      add,
    ],
    ["remove", "take that back", remove],
  ] as const)
    command
      .command(`${name} <source> [observer]`)
      .description(description)
      .option("--record <public-id>", "the record that it runs")
      .option("--brand <name>", "all records of this name")
      .option(...JSON_OPTION)
      .action((source, observer, options) => {
        using ledger = openWriter(context);
        const affiliation = {
          principal: principalOf(ledger, source, observer),
          subject: runSubject(ledger, run(options)),
        };
        ledger.transaction(() => {
          work(ledger, affiliation);
          reteachPrincipal(ledger, affiliation.principal);
        });
        printResult(context, options.json, {
          source,
          observer: observer ?? null,
          [name]: options.record ?? options.brand,
        });
      });

  command
    .command("list")
    .description("list affiliations; observers are shown as keyed hashes")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      using ledger = openWriter(context);
      const affiliations = ledger.sources.affiliations();
      printList(context, json, affiliations, ({ principal, subject }) => `${principal}  ${subject}`);
    });
}

type Affiliation = Parameters<LedgerWriter["sources"]["addAffiliation"]>[0];

function add({ sources }: LedgerWriter, affiliation: Affiliation): void {
  sources.addAffiliation(affiliation);
}

function remove({ sources }: LedgerWriter, affiliation: Affiliation): void {
  sources.removeAffiliation(affiliation);
}

function run({ record, brand }: AffiliationOptions): Run {
  if (record !== undefined && brand === undefined) return { record };
  if (brand !== undefined && record === undefined) return { brand };
  throw new OperatorError("say what the principal runs: --record <public-id> or --brand <name>");
}
