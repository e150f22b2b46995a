import { existsSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { createDemo } from "../../../demo/demo.ts";
import { type CommandContext, homeOf } from "../../../operations/context.ts";
import { isReleased } from "../../../operations/is-released.ts";
import { makeRelease } from "../../../operations/release.ts";
import { NO_DELIVER_OPTION, serve } from "../../serve.ts";

export function define(command: Command, context: CommandContext): void {
  command.option(...NO_DELIVER_OPTION).action(async ({ deliver }) => {
    if (!existsSync(homeOf(context).ledger)) {
      context.stderr.write("no ledger yet: creating the demonstration …\n");
      await createDemo(context);
    }
    if (!isReleased(context)) await makeRelease(context, { mayBeHeld: false });
    await serve(context, deliver);
  });
}
