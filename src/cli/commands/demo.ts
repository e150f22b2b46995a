import { existsSync } from "node:fs";
import { createDemo, demoSummary } from "../../demo/demo.ts";
import { type CommandContext, homeOf } from "../../operations/context.ts";
import { isReleased, makeRelease } from "../../operations/release.ts";
import { command, nothing } from "../command.ts";

const demo = command({
  path: "demo",
  takes: nothing,
  access: "none",
  async run({ context }) {
    const home = homeOf(context);
    const summary = existsSync(home.ledger) ? demoSummary(home) : await createDemo(context);
    return {
      ledger: summary.ledger,
      origin: summary.origin,
      tree_size: summary.treeSize,
      root: summary.root,
      as_of: summary.asOf,
      rows: summary.rows,
      records_checked_online: summary.checkedOnline,
    };
  },
});

/** A home that can be served: the demonstration where there is no ledger, and a release. */
export async function prepareDemo(context: CommandContext): Promise<void> {
  if (!existsSync(homeOf(context).ledger)) {
    context.stderr.write("no ledger yet: creating the demonstration …\n");
    await createDemo(context);
  }
  if (!isReleased(context)) await makeRelease(context, { mayBeHeld: false });
}

export const commands = [demo];
