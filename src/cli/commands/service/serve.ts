import { existsSync } from "node:fs";
import type { Command } from "commander";
import { deliverySetup } from "../../../delivery/delivery-setup.ts";
import { createDemo } from "../../../demo/demo.ts";
import { jsonLog } from "../../../kernel/log.ts";
import { type CommandContext, homeOf } from "../../../operations/context.ts";
import { currentEnvironment } from "../../../operations/current-environment.ts";
import { isReleased } from "../../../operations/is-released.ts";
import { makeRelease } from "../../../operations/release.ts";
import { servedPages } from "../../../operations/served-pages.ts";
import { startServer } from "../../../server/main.ts";

export function defineServe(command: Command, context: CommandContext): void {
  command
    .option("--no-deliver", "leave mail and webhooks to `presence deliver` (as DELIVERY=worker)")
    .action((options: ServeOptions) => serve(context, options));
}

export function defineStart(command: Command, context: CommandContext): void {
  command.option("--no-deliver", "as with serve").action(async (options: ServeOptions) => {
    const home = homeOf(context);
    if (!existsSync(home.ledger)) {
      context.stderr.write("no ledger yet: making the demonstration …\n");
      await createDemo(context);
    }
    if (!isReleased(context)) await makeRelease(context, {});
    await serve(context, options);
  });
}

interface ServeOptions {
  readonly deliver: boolean;
}

async function serve(context: CommandContext, { deliver }: ServeOptions): Promise<void> {
  const { config } = context;
  const log = jsonLog(context.clock, (line) => context.stderr.write(line));
  const isWorkers = !deliver && config.delivery === "server";
  const pages = await servedPages(context);
  const server = await startServer(isWorkers ? { ...config, delivery: "worker" } : config, { log, pages });
  context.stdout.write(`serving ${config.baseUrl} on ${server.url} (Ctrl-C stops)\n`);
  const home = homeOf(context);
  if (deliverySetup(config, currentEnvironment(home)).email === "written_to_files")
    context.stdout.write(`SMTP_URL is not set: the demonstration writes its emails to ${home.email}\n`);
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  await server.stop();
}
