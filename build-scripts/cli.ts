#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { API_VERSION } from "../src/contract/versions.ts";
import { readConfig } from "../src/kernel/config.ts";
import { systemRandom } from "../src/kernel/ids.ts";
import { systemClock } from "../src/kernel/time.ts";
import { addBuildCommands } from "./commands/build.ts";
import { addCheckDisclosureCommand } from "./commands/check-disclosure.ts";
import { addCityCommands } from "./commands/city.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addDiscloseCommand } from "./commands/disclose.ts";
import { addGazetteerCommands } from "./commands/gazetteer.ts";
import { addIngestCommand } from "./commands/ingest.ts";
import { addInitCommand } from "./commands/init.ts";
import { addKeyCommands } from "./commands/key.ts";
import { addOptOutCommand } from "./commands/opt-out.ts";
import { addProofCommand } from "./commands/proof.ts";
import { addRedactCommand } from "./commands/redact.ts";
import { addReplayCommand } from "./commands/replay.ts";
import { addSealCommand } from "./commands/seal.ts";
import { addServeCommands } from "./commands/serve.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import type { CommandContext } from "./context.ts";
import { failureText } from "./failure-text.ts";

/** The command line of the operator. Exit code 0: done; 1: refused or failed, with the reason on stderr. */
function presenceProgram(context: CommandContext): Command {
  const program = new Command("presence")
    .description("Physical Presence Evidence Service: intake, ledger, releases")
    .version(API_VERSION)
    .showHelpAfterError("(add --help for what there is)");
  addInitCommand(program, context);
  addGazetteerCommands(program, context);
  addCityCommands(program, context);
  addIngestCommand(program, context);
  addSealCommand(program, context);
  addRedactCommand(program, context);
  addOptOutCommand(program, context);
  addKeyCommands(program, context);
  addBuildCommands(program, context);
  addServeCommands(program, context);
  addVerifyCommand(program, context);
  addReplayCommand(program, context);
  addProofCommand(program, context);
  addDiscloseCommand(program, context);
  addCheckDisclosureCommand(program, context);
  addDemoCommand(program, context);
  return program;
}

// Whoever reads the output may stop early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  const context: CommandContext = {
    config: readConfig(),
    project: dirname(dirname(fileURLToPath(import.meta.url))),
    clock: systemClock,
    random: systemRandom,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  await presenceProgram(context).parseAsync();
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`);
  process.exitCode = 1;
}
