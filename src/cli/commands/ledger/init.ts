import { mkdirSync } from "node:fs";
import { type Command, Option } from "@commander-js/extra-typings";
import { createLedger } from "../../../ledger/database/create.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .requiredOption(
      "--origin <name>",
      "permanent name of the log, a URL without scheme: example.org/presence",
    )
    .addOption(
      new Option("--environment <name>", "a demonstration's data never mixes with real data")
        .choices(["production", "demo"])
        .default("production" as const),
    )
    .option(...JSON_OPTION)
    .action(({ environment, origin, json }) => {
      const { night, ledger, keys } = homeOf(context);
      const { clock, random } = context;
      mkdirSync(night, { recursive: true });
      createLedger(ledger, { environment, origin, keysDir: keys, clock, random });
      printResult(context, json, { ledger, keys, environment, origin });
    });
}
