import type { Command } from "@commander-js/extra-typings";
import {
  type CommandContext,
  currentEnvironment,
  homeOf,
  logOf,
  printLines,
} from "../../operations/context.ts";
import { setupOf } from "../../operations/delivery.ts";
import { assertSecretsClosed } from "../../operations/home-access.ts";
import { servedPages } from "../../operations/served-pages.ts";
import { startServer } from "../../server/main.ts";
import { command } from "../command.ts";
import { untilStopped } from "../process.ts";

const serving = (bare: Command) =>
  bare.option("--no-deliver", "let `presence deliver` send email and webhooks (as DELIVERY=worker)");

const serve = command({
  path: "serve",
  takes: serving,
  access: "none",
  json: false,
  run: ({ context }, { deliver }) => serveReleases(context, deliver),
});

const start = command({
  path: "start",
  takes: serving,
  access: "none",
  json: false,
  async run({ context }, { deliver }) {
    await (await import("./demo.ts")).prepareDemo(context);
    return serveReleases(context, deliver);
  },
});

/** Serves until the process is asked to stop. `deliver` false: another process sends email and webhooks. */
async function serveReleases(context: CommandContext, deliver: boolean): Promise<undefined> {
  const { config } = context;
  const home = homeOf(context);
  const log = logOf(context);
  assertSecretsClosed({ config, home, environment: currentEnvironment(home), log });
  const isWorkers = !deliver && config.delivery === "server";
  const deps = { log, pages: await servedPages(context) };
  const server = await startServer(isWorkers ? { ...config, delivery: "worker" } : config, deps);
  printLines(context, [`serving ${config.baseUrl} on ${server.url} (Ctrl-C stops)`]);
  if (setupOf(context).email === "written_to_files")
    printLines(context, [`SMTP_URL is not set: the demonstration writes its email to ${home.email}`]);
  log.info("stopping", { signal: await untilStopped() });
  await server.stop();
  return undefined;
}

export const commands = [serve, start];
