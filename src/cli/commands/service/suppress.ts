import type { Command } from "commander";
import { z } from "zod";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { openState } from "../../../state/open-state.ts";

interface SuppressOptions {
  readonly allow?: boolean;
  readonly json?: boolean;
}

const Address = z.email().max(254);

export function defineSuppress(command: Command, context: CommandContext): void {
  command
    .argument("<address>")
    .option("--allow", "take it from the list")
    .option("--json", "print the answer as JSON")
    .action(async (address: string, { allow, json }: SuppressOptions) => {
      if (!Address.safeParse(address).success) throw new OperatorError("<address>: not one mail address");
      await using state = await openState(context.config.stateUrl, homeOf(context));
      if (allow !== true) await state.subscriptions.suppress(address, "operator");
      else if (!(await state.subscriptions.allow(address)))
        throw new OperatorError("<address>: it is not on the list");
      printResult(context, json, { suppressed: allow !== true });
    });
}
