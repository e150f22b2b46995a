import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { nightlyOnlineChecks, plannedOnlineChecks } from "../../../operations/online-checks.ts";
import { JSON_OPTION, whole } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .command("run")
    .description("run the online checks that are due; they change neither rows nor scores")
    .option(
      "--budget <records>",
      "maximum number of records (default: ONLINE_CHECKS_PER_NIGHT)",
      whole("--budget"),
    )
    .option("--dry-run", "list the records that would be checked, without any request")
    .option(...JSON_OPTION)
    .action(async ({ budget = nightlyBudget(context), dryRun, json }) => {
      if (dryRun) {
        const planned = plannedOnlineChecks(context, budget);
        printResult(context, json, {
          planned: planned.length,
          never_checked: planned.filter(({ lastCheck }) => lastCheck === undefined).length,
          records: planned.map(({ record }) => record),
        });
        return;
      }
      const { left, unavailable, ...counts } = await nightlyOnlineChecks(context, { budget });
      printResult(context, json, { ...counts, left_for_later: left, unavailable });
    });
}

function nightlyBudget({ config }: CommandContext): number {
  const { checksPerNight } = config.online;
  if (checksPerNight > 0) return checksPerNight;
  throw new OperatorError("online checks are off: set ONLINE_CHECKS_PER_NIGHT, or give --budget");
}
