import { mkdirSync } from "node:fs";
import { type Command, Option } from "commander";
import { Environment } from "../../../contract/enums.ts";
import { createLedger } from "../../../ledger/database/create.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";

interface InitOptions {
  readonly origin: string;
  readonly environment: string;
  readonly json?: boolean;
}

export function defineInit(command: Command, context: CommandContext): void {
  command
    .requiredOption("--origin <name>", "name of the log for ever, a URL without schema: example.org/presence")
    .addOption(
      new Option("--environment <name>", "demonstration data never mixes with real data")
        .choices(Environment.options)
        .default("production"),
    )
    .option("--json", "print the result as JSON")
    .action((options: InitOptions) => {
      const home = homeOf(context);
      const environment = Environment.parse(options.environment);
      mkdirSync(home.root, { recursive: true });
      createLedger(home.ledger, {
        environment,
        origin: options.origin,
        keysDir: home.keys,
        clock: context.clock,
        random: context.random,
      });
      printResult(context, options.json, {
        ledger: home.ledger,
        keys: home.keys,
        environment,
        origin: options.origin,
      });
    });
}
