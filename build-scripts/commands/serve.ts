import { existsSync } from "node:fs";
import type { Command } from "commander";
import { releasePaths } from "../../src/kernel/home.ts";
import { jsonLog } from "../../src/kernel/log.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { startServer } from "../../src/server/main.ts";
import { operatorTextsHash } from "../../src/snapshot/operator-texts.ts";
import { isReadable, openSnapshot } from "../../src/snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { createDemo } from "../demo.ts";
import { readOperatorTexts } from "../operator-texts.ts";
import { makeRelease } from "../release.ts";
import { currentRelease } from "../stages/publish.ts";

export function addServeCommands(program: Command, context: CommandContext): void {
  program
    .command("serve")
    .description("serve the current release, and every later one as it is published")
    .action(() => serve(context));

  program
    .command("start")
    .description(
      "make the demonstration if there is no ledger, build what is sealed and not released yet, and serve",
    )
    .action(async () => {
      const home = homeOf(context);
      if (!existsSync(home.ledger)) {
        context.stderr.write("no ledger yet: making the demonstration …\n");
        await createDemo(context);
      }
      if (!isReleased(context)) await makeRelease(context, {});
      await serve(context);
    });
}

/** Whether the current release holds all that is sealed, and says what the configuration says: addresses, contact, time stamps, operator. */
function isReleased(context: CommandContext): boolean {
  const home = homeOf(context);
  const directory = currentRelease(home);
  if (directory === undefined) return false;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return false; // an earlier version of the program made it
  using reader = openLedgerReader(home.ledger);
  const snapshot = openSnapshot(path);
  const release = snapshot.release();
  snapshot.close();
  const { config } = context;
  return (
    release.treeSize === reader.latestCheckpoint()?.size &&
    release.baseUrl === config.baseUrl &&
    release.securityContact === (config.securityContact ?? null) &&
    release.externalTimestamping === (config.timestampAuthority !== undefined) &&
    release.operatorName === (config.operatorName ?? null) &&
    release.operatorTextsHash === operatorTextsHash(readOperatorTexts(config.operatorTexts))
  );
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
