import type { Command } from "@commander-js/extra-typings";
import { EmailAddress } from "../../../contract/accounts/alerts.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { stateOf } from "../../../operations/existing-state.ts";
import { JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<address>")
    .option("--allow", "remove the address from the list")
    .option(...JSON_OPTION)
    .action(async (given, { allow, json }) => {
      const { data: address } = EmailAddress.safeParse(given);
      if (address === undefined)
        throw new OperatorError("<address> must be one email address, such as name@example.org");
      await using state = await stateOf(context);
      if (!allow) await state.subscriptions.suppress(address, "operator");
      else if (!(await state.subscriptions.allow(address)))
        throw new OperatorError("<address>: the address is not on the list");
      printResult(context, json, { suppressed: !allow });
    });
}
