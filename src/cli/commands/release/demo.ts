import { existsSync } from "node:fs";
import type { Command } from "commander";
import { createDemo, demoSummary } from "../../../demo/demo.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";

export function defineDemo(command: Command, context: CommandContext): void {
  command.option("--json", "print the summary as JSON").action(async (options: { json?: boolean }) => {
    const home = homeOf(context);
    const summary = existsSync(home.ledger) ? demoSummary(home) : await createDemo(context);
    printResult(context, options.json, {
      ledger: summary.ledger,
      origin: summary.origin,
      tree_size: summary.treeSize,
      root: summary.root,
      as_of: summary.asOf,
      rows: summary.rows,
      records_checked_online: summary.checkedOnline,
    });
  });
}
