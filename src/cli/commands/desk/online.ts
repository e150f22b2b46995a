import type { Command } from "commander";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { nightlyOnlineChecks, plannedOnlineChecks } from "../../../operations/online-checks.ts";
import { wholeNumber } from "../../whole-number.ts";

interface RunOptions {
  readonly budget?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function defineOnline(command: Command, context: CommandContext): void {
  command
    .command("run")
    .description("make the online checks whose turn it is; they change neither rows nor scores")
    .option("--budget <records>", "how many at most (default: ONLINE_CHECKS_PER_NIGHT)")
    .option("--dry-run", "say whom it would look for, and ask nobody")
    .option("--json", "print the result as JSON")
    .action((options: RunOptions) => run(context, options));
}

async function run(context: CommandContext, options: RunOptions): Promise<void> {
  const budget = budgetOf(context, options.budget);
  if (options.dryRun) {
    const planned = plannedOnlineChecks(context, budget);
    printResult(context, options.json, {
      planned: planned.length,
      never_checked: planned.filter(({ lastCheck }) => lastCheck === undefined).length,
      records: planned.map(({ record }) => record),
    });
    return;
  }
  const { left, unavailable, ...counts } = await nightlyOnlineChecks(context, { budget });
  printResult(context, options.json, { ...counts, left_for_later: left, unavailable });
}

function budgetOf({ config }: CommandContext, option: string | undefined): number {
  if (option !== undefined) return wholeNumber(option, "--budget");
  const { checksPerNight } = config.online;
  if (checksPerNight > 0) return checksPerNight;
  throw new OperatorError("no online checks are to be made: set ONLINE_CHECKS_PER_NIGHT, or give --budget");
}
