#!/usr/bin/env node
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { API_VERSION } from "../contract/versions.ts";
import { readConfig } from "../kernel/config.ts";
import { systemRandom } from "../kernel/ids.ts";
import { systemClock } from "../kernel/time.ts";
import type { CommandContext } from "../operations/context.ts";
import { ExitError } from "../operations/exit-error.ts";
import { failureText } from "../operations/failure-text.ts";

interface CommandEntry {
  readonly does: string;
  readonly definition: () => Promise<(command: Command, context: CommandContext) => void>;
}

/** In the order of the help. Each is loaded when it is asked for: all of them take two seconds, one a few tenths. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    does: "create an empty ledger and its keys",
    definition: async () => (await import("./commands/ledger/init.ts")).defineInit,
  },
  gazetteer: {
    does: "the catalogue of cities that can be registered",
    definition: async () => (await import("./commands/intake/gazetteer.ts")).defineGazetteer,
  },
  city: {
    does: "register cities and change their state",
    definition: async () => (await import("./commands/intake/city.ts")).defineCity,
  },
  ingest: {
    does: "take observations into the ledger: NDJSON, or CSV with --map; .gz as well; - is standard input",
    definition: async () => (await import("./commands/intake/ingest.ts")).defineIngest,
  },
  seal: {
    does: "close finished UTC days into signed checkpoints, and have them time-stamped (TSA_URL)",
    definition: async () => (await import("./commands/ledger/seal.ts")).defineSeal,
  },
  redact: {
    does: "erase an observation, identity, status or review row, and what existed only because of it; in two steps",
    definition: async () => (await import("./commands/ledger/redact.ts")).defineRedact,
  },
  review: {
    does: "look at what waits for a decision, and decide; each decision is a row of the ledger",
    definition: async () => (await import("./commands/desk/review.ts")).defineReview,
  },
  record: {
    does: "the life of a record; docs/states.md has the moves",
    definition: async () => (await import("./commands/desk/record.ts")).defineRecord,
  },
  report: {
    does: "problems that people reported, and what came of them",
    definition: async () => (await import("./commands/desk/report.ts")).defineReport,
  },
  identity: {
    does: "brand, organizations and scope of a record, as reviewed by people",
    definition: async () => (await import("./commands/desk/identity.ts")).defineIdentity,
  },
  "opt-out": {
    does: "erase a record with all its rows, and refuse its names in its city from now on; in two steps",
    definition: async () => (await import("./commands/ledger/opt-out.ts")).defineOptOut,
  },
  key: {
    does: "the keys that sign the ledger's tree heads",
    definition: async () => (await import("./commands/ledger/key.ts")).defineKey,
  },
  partner: {
    does: "clients with API keys, their quotas and their keys",
    definition: async () => (await import("./commands/service/partner.ts")).definePartner,
  },
  backup: {
    does: "copy ledger, state and keys into a new folder, while everything runs",
    definition: async () => (await import("./commands/release/backup.ts")).defineBackup,
  },
  restore: {
    does: "make a home of a backup: check it, verify its ledger, bring it to this version",
    definition: async () => (await import("./commands/release/restore.ts")).defineRestore,
  },
  build: {
    does: "build a release of the sealed rows and publish it",
    definition: async () => (await import("./commands/release/build.ts")).defineBuild,
  },
  nightly: {
    does: "the whole night: seal, check online, build, publish, deliver; safe to run again at any time",
    definition: async () => (await import("./commands/release/nightly.ts")).defineNightly,
  },
  serve: {
    does: "serve the current release, and every later one as it is published",
    definition: async () => (await import("./commands/service/serve.ts")).defineServe,
  },
  start: {
    does: "make the demonstration if there is no ledger, build what is sealed and not released yet, and serve",
    definition: async () => (await import("./commands/service/serve.ts")).defineStart,
  },
  doctor: {
    does: "find what is wrong with keys, ledger, release, state and configuration, and say how to mend it",
    definition: async () => (await import("./commands/release/doctor.ts")).defineDoctor,
  },
  verify: {
    does: "check everything that a release publishes: tree, signatures, history, seals, disclosures, files",
    definition: async () => (await import("./commands/ledger/verify.ts")).defineVerify,
  },
  replay: {
    does: "make a release's numbers again from its public files alone, and compare them with the published ones",
    definition: async () => (await import("./commands/release/replay.ts")).defineReplay,
  },
  proof: {
    does: "print the inclusion proof of a ledger row (.tlog-proof), made from public files alone",
    definition: async () => (await import("./commands/ledger/proof.ts")).defineProof,
  },
  disclose: {
    does: "print one private value of a row with its proof, for an auditor",
    definition: async () => (await import("./commands/ledger/disclose.ts")).defineDisclose,
  },
  "check-disclosure": {
    does: "for an auditor: check a disclosed value against the signed tree; needs nothing private",
    definition: async () => (await import("./commands/ledger/check-disclosure.ts")).defineCheckDisclosure,
  },
  deliver: {
    does: "send the mails and webhooks that are due; several may run at once",
    definition: async () => (await import("./commands/service/deliver.ts")).defineDeliver,
  },
  outbox: {
    does: "look at deliveries, repeat or drop them",
    definition: async () => (await import("./commands/service/outbox.ts")).defineOutbox,
  },
  suppress: {
    does: "send no mail to an address ever again, whoever asks; only a keyed hash of it is stored",
    definition: async () => (await import("./commands/service/suppress.ts")).defineSuppress,
  },
  activity: {
    does: "machine activity: who asked the service for what",
    definition: async () => (await import("./commands/service/activity.ts")).defineActivity,
  },
  demand: {
    does: "cities that people search in and the service does not cover",
    definition: async () => (await import("./commands/service/demand.ts")).defineDemand,
  },
  online: {
    does: "look for records on the public web",
    definition: async () => (await import("./commands/desk/online.ts")).defineOnline,
  },
  demo: {
    does: "make the demonstration's ledger where there is none, and say what it holds",
    definition: async () => (await import("./commands/release/demo.ts")).defineDemo,
  },
};

/** The command line of the operator, with the wanted command whole. Exit code 0: done; 1: refused or failed, with the reason on stderr. */
async function presenceProgram(context: CommandContext, wanted: string): Promise<Command> {
  const program = new Command("presence")
    .description("Physical Presence Evidence Service: intake, ledger, releases")
    .version(API_VERSION)
    .exitOverride() // ending by itself: process.exit in the middle of loading has hung
    .showHelpAfterError("(add --help for what there is)");
  for (const [name, { does, definition }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(does);
    if (name === wanted) (await definition())(command, context);
  }
  return program;
}

// Whoever reads the output may stop early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

try {
  const context: CommandContext = {
    config: readConfig(),
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const [first = "", second = ""] = process.argv.slice(2);
  const program = await presenceProgram(context, first === "help" ? second : first);
  await program.parseAsync();
} catch (error) {
  // Of a wrong command line, and of --help, everything has been said already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`${failureText(error)}\n`);
    process.exitCode = error instanceof ExitError ? error.exitCode : 1;
  }
}
