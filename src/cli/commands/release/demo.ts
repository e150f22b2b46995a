import { existsSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { createDemo, demoSummary } from "../../../demo/demo.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command.option(...JSON_OPTION).action(async ({ json }) => {
    const home = homeOf(context);
    const summary = existsSync(home.ledger) ? demoSummary(home) : await createDemo(context);
    printResult(context, json, {
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
