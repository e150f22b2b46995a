#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { API_VERSION } from "../src/contract/versions.ts";
import { readConfig } from "../src/kernel/config.ts";
import { systemRandom } from "../src/kernel/ids.ts";
import { systemClock } from "../src/kernel/time.ts";
import type { CommandContext } from "./context.ts";
import { ExitError } from "./exit-error.ts";
import { failureText } from "./failure-text.ts";

type AddCommands = (program: Command, context: CommandContext) => void;

const serve = async () => (await import("./commands/serve.ts")).addServeCommands;

/** In the order of the help. Each is loaded when it is asked for: all of them take two seconds, one takes a few tenths. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  init: async () => (await import("./commands/init.ts")).addInitCommand,
  gazetteer: async () => (await import("./commands/gazetteer.ts")).addGazetteerCommands,
  city: async () => (await import("./commands/city.ts")).addCityCommands,
  ingest: async () => (await import("./commands/ingest.ts")).addIngestCommand,
  seal: async () => (await import("./commands/seal.ts")).addSealCommand,
  redact: async () => (await import("./commands/redact.ts")).addRedactCommand,
  review: async () => (await import("./commands/review.ts")).addReviewCommands,
  record: async () => (await import("./commands/record.ts")).addRecordCommands,
  report: async () => (await import("./commands/report.ts")).addReportCommands,
  identity: async () => (await import("./commands/identity.ts")).addIdentityCommands,
  "opt-out": async () => (await import("./commands/opt-out.ts")).addOptOutCommand,
  key: async () => (await import("./commands/key.ts")).addKeyCommands,
  partner: async () => (await import("./commands/partner.ts")).addPartnerCommands,
  backup: async () => (await import("./commands/backup.ts")).addBackupCommand,
  restore: async () => (await import("./commands/restore.ts")).addRestoreCommand,
  build: async () => (await import("./commands/build.ts")).addBuildCommand,
  nightly: async () => (await import("./commands/nightly.ts")).addNightlyCommand,
  serve,
  start: serve,
  doctor: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  verify: async () => (await import("./commands/verify.ts")).addVerifyCommand,
  replay: async () => (await import("./commands/replay.ts")).addReplayCommand,
  proof: async () => (await import("./commands/proof.ts")).addProofCommand,
  disclose: async () => (await import("./commands/disclose.ts")).addDiscloseCommand,
  "check-disclosure": async () => (await import("./commands/check-disclosure.ts")).addCheckDisclosureCommand,
  deliver: async () => (await import("./commands/deliver.ts")).addDeliverCommand,
  outbox: async () => (await import("./commands/outbox.ts")).addOutboxCommands,
  suppress: async () => (await import("./commands/suppress.ts")).addSuppressCommand,
  activity: async () => (await import("./commands/activity.ts")).addActivityCommands,
  online: async () => (await import("./commands/online.ts")).addOnlineCommands,
  demo: async () => (await import("./commands/demo.ts")).addDemoCommand,
};

/** The command line of the operator. Exit code 0: done; 1: refused or failed, with the reason on stderr. */
async function presenceProgram(context: CommandContext, wanted: string): Promise<Command> {
  const program = new Command("presence")
    .description("Physical Presence Evidence Service: intake, ledger, releases")
    .version(API_VERSION)
    .exitOverride() // ending by itself: process.exit in the middle of loading has hung
    .showHelpAfterError("(add --help for what there is)");
  const one = Object.hasOwn(COMMANDS, wanted) ? COMMANDS[wanted] : undefined;
  for (const load of one === undefined ? new Set(Object.values(COMMANDS)) : [one])
    (await load())(program, context);
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
  const program = await presenceProgram(context, process.argv[2] ?? "");
  await program.parseAsync();
} catch (error) {
  // Of a wrong command line, and of --help, everything has been said already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`${failureText(error)}\n`);
    process.exitCode = error instanceof ExitError ? error.exitCode : 1;
  }
}
