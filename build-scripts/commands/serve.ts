import { existsSync } from "node:fs";
import type { Command } from "commander";
import { jsonLog } from "../../src/kernel/log.ts";
import { startServer } from "../../src/server/main.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { createDemo } from "../demo.ts";
import { isReleased } from "../is-released.ts";
import { makeRelease } from "../release.ts";

export function defineServe(command: Command, context: CommandContext): void {
  command.action(() => serve(context));
}

export function defineStart(command: Command, context: CommandContext): void {
  command.action(async () => {
    const home = homeOf(context);
    if (!existsSync(home.ledger)) {
      context.stderr.write("no ledger yet: making the demonstration …\n");
      await createDemo(context);
    }
    if (!isReleased(context)) await makeRelease(context, {});
    await serve(context);
  });
}

async function serve(context: CommandContext): Promise<void> {
  const log = jsonLog(context.clock, (line) => context.stderr.write(line));
  const server = await startServer(context.config, log);
  context.stdout.write(`serving ${context.config.baseUrl} on ${server.url} (Ctrl-C stops)\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  await server.stop();
}
