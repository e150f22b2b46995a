/** The command line of the operator: its commands by group, and the program that finds and runs one. */

import { Command, CommanderError } from "@commander-js/extra-typings";
import { PROGRAM_VERSION } from "../contract/versions.ts";
import { type Output, writeText } from "../kernel/text/terminal.ts";
import { joinTypedRows } from "../kernel/text/typed-id.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";
import { ExitError, failureLines } from "../operations/failure-text.ts";
import { assertOwner, type NeededUser } from "../operations/home-access.ts";
import type { Declared } from "./command.ts";
import { ENVIRONMENT_OPTION, SETTINGS_OPTION } from "./process.ts";

interface CommandModule {
  readonly commands: readonly Declared[];
}

/**
 * A line in the help; the module with the commands that begin with the word, loaded only when one is run; and who may run them, in place of the owner of the
 * home: all of them, or each by its last word.
 */
type Entry = readonly [
  does: string,
  load: () => Promise<CommandModule>,
  user?: NeededUser | ((word: string) => NeededUser),
];

const ledger = () => import("./commands/ledger.ts");
const erasures = () => import("./commands/erasures.ts");
const audits = () => import("./commands/audits.ts");
const cities = () => import("./commands/cities.ts");
const sources = () => import("./commands/sources.ts");
const maps = () => import("./commands/maps.ts");
const review = () => import("./commands/review.ts");
const reports = () => import("./commands/reports.ts");
const releases = () => import("./commands/releases.ts");
const backups = () => import("./commands/backups.ts");
const serving = () => import("./commands/serving.ts");
const deliveries = () => import("./commands/deliveries.ts");
const usage = () => import("./commands/usage.ts");

type Groups = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

export const COMMANDS: Groups = {
  "Ledger:": {
    init: ["create an empty ledger and its keys", ledger],
    seal: ["seal finished UTC days, sign a checkpoint and have it timestamped (TSA_URL)", ledger],
    redact: [
      "erase an observation, identity, status or review row and all that depends on it alone; in two steps",
      erasures,
    ],
    "opt-out": [
      "erase a record, or one of its assets or places, and refuse it at intake from now on; in two steps",
      erasures,
    ],
    key: ["rotate and list the keys that sign the ledger's checkpoints", ledger],
    clock: ["compare the clock with others; recover a ledger whose last row lies in the future", ledger],
    verify: [
      "verify everything that a release publishes: tree, signatures, history, seals, disclosures, files",
      audits,
      "none",
    ],
    proof: [
      "print the inclusion proof of a ledger row (.tlog-proof), from public files alone",
      ledger,
      "none",
    ],
    disclose: ["print one private value of a row with its proof, for an auditor", ledger],
    "check-disclosure": [
      "verify a disclosed value against the signed tree, as an auditor; needs nothing private",
      ledger,
      "none",
    ],
  },
  "Intake:": {
    gazetteer: ["search the catalog of cities", cities],
    city: ["register cities and change their state", cities],
    ingest: [
      "add observations to the ledger: NDJSON, or CSV with --map, also as .gz; - is standard input",
      () => import("./commands/ingest.ts"),
    ],
    find: [
      "find a supplier's line, a row, a record or a name: its state, whether it counts and ranks, and why",
      () => import("./commands/find.ts"),
    ],
    map: ["suggest and check the column map of a CSV file", maps],
    industry: ["search the ISIC Rev. 5 codes", maps],
    batch: [
      "list and show ingested files; approve one that was held back, or undo one",
      () => import("./commands/batches.ts"),
    ],
    inbox: [
      "ingest the files that sources deliver in their folders, and list the result of each",
      () => import("./commands/inbox.ts"),
    ],
    source: ["register, suspend and withdraw sources", sources],
    observer: ["record who controls observers; link, suspend and erase them", sources],
    affiliation: ["record which principals run which records", sources],
    revisit: [
      "measure the accuracy of the listed assets: draw a plan for scouts, take in their results",
      () => import("./commands/revisit.ts"),
    ],
  },
  "Review:": {
    review: ["list, show and decide items that need a review; each decision is a ledger row", review],
    desk: [
      "serve the review desk in the browser; enrol its reviewers; take their decisions into the ledger",
      () => import("./commands/desk.ts"),
      (word) => (word === "view" || word === "apply" ? "owner" : "desk"),
    ],
    record: ["change the status of a record; docs/states.md lists the moves", review],
    report: ["list, show and resolve problem reports", reports],
    removal: [
      "list, show and decide owners' requests to remove a record; issue and enter their codes",
      reports,
    ],
    identity: ["set or clear the reviewed brand, organizations and scope of a record", review],
    online: ["look up records on the public web", releases],
  },
  "Releases:": {
    build: ["build a release of the sealed rows and publish it", releases],
    nightly: ["run the night: seal, check online, build, publish and deliver; safe to run again", releases],
    release: [
      "list, compare, hold and approve releases: what differs too much from the published one waits for you",
      releases,
    ],
    backup: ["copy ledger, state and keys to a new folder while the service runs", backups],
    restore: ["restore a backup to a new home: check it, verify its ledger and migrate it", backups, "none"],
    upgrade: ["rehearse an upgrade to this version on copies of ledger and state", backups],
    today: [
      "show a day on one screen: intake, waiting decisions, the release and its changes, use of the API, cost of the night",
      () => import("./commands/today.ts"),
    ],
    doctor: [
      "find problems of keys, ledger, release, state and configuration, with their remedies",
      () => import("./commands/doctor.ts"),
    ],
    replay: [
      "recompute a release's numbers from its public files and compare them with the published ones",
      audits,
      "none",
    ],
    mirror: ["mirror a published service: download changes, delete withdrawn data", audits, "none"],
    demo: [
      "create the demonstration's ledger if none exists, and summarize it",
      () => import("./commands/demo.ts"),
    ],
  },
  "Service:": {
    serve: ["serve the current release, and each later one as soon as it is published", serving, "server"],
    start: [
      "create the demonstration if no ledger exists, build a release if one is due, and serve it",
      serving,
    ],
    settings: [
      "print the settings in effect and the source of each",
      () => import("./commands/settings.ts"),
      "none",
    ],
    partner: ["manage API clients, their quotas and their keys", () => import("./commands/partners.ts")],
    deliver: ["send due email and webhooks; several processes may run at once", deliveries, "server"],
    outbox: ["list, show, retry and cancel deliveries", deliveries],
    suppress: ["never send email to an address again; only a keyed hash of it is stored", deliveries],
    subject: ["find, export or erase what is stored about a person, by email address", erasures],
    incident: [
      "report, update, close and list incidents of the status page",
      () => import("./commands/incidents.ts"),
    ],
    activity: ["import access logs and show machine activity", usage],
    demand: ["list cities that people search for and the service does not cover", usage],
  },
};

/** The commands of a first city and of every day, which `presence --help` shows. */
const EVERY_DAY = [
  "init",
  "city",
  "source",
  "ingest",
  "review",
  "nightly",
  "serve",
  "backup",
  "doctor",
  "today",
  "find",
  "opt-out",
  "release",
];

function everyDay(): Groups {
  const all = new Map(Object.values(COMMANDS).flatMap((group) => Object.entries(group)));
  const shown = EVERY_DAY.flatMap((word) => [...all].filter(([name]) => name === word));
  return { "Commands:": Object.fromEntries(shown) };
}

/** Runs one command line, given without the program's name. Says on `stderr` what went wrong; returns the exit code. */
export async function runCommandLine(
  typed: readonly string[],
  stderr: Output,
  enter: () => CommandContext,
): Promise<number> {
  try {
    await perform(enter(), typed);
    return 0;
  } catch (error) {
    // Commander has already printed its message, or the help.
    if (error instanceof CommanderError) return error.exitCode;
    for (const line of failureLines(error)) stderr.write(line);
    return error instanceof ExitError ? error.exitCode : 1;
  }
}

/** The same for a caller that wants what the command throws. */
export async function perform(context: CommandContext, words: readonly string[]): Promise<void> {
  const typed = joinTypedRows(words);
  const [first = "", second = ""] = typed;
  const isHelp = ["", "-h", "--help", "help"].includes(first) && !/^\w/.test(second);
  const shown = isHelp && !typed.includes("--all") ? everyDay() : COMMANDS;
  const program = await presenceProgram(context, typed, { name: first === "help" ? second : first, shown });
  await program.parseAsync(typed, { from: "user" });
}

const HELP_END = `
presence --help --all        shows every command
presence COMMAND --help      shows the options of one
presence settings            prints the settings in effect and their sources
docs/manual/README.md        leads from an empty machine to a running service`;

interface Extent {
  readonly name?: string;
  readonly shown?: Groups;
}

/** The command line with only the command `name` fully defined, because loading all of them takes two seconds; without a name, with all of them. */
export async function presenceProgram(
  context: CommandContext,
  typed: readonly string[],
  { name, shown = COMMANDS }: Extent = {},
): Promise<Command> {
  const program = new Command("presence")
    .description("Physical Presence Evidence Service: intake, ledger, releases")
    .version(PROGRAM_VERSION)
    .option(
      `${SETTINGS_OPTION} <file>`,
      "read settings from this file (presence.toml) alone; goes before the command",
    )
    .option(
      `${ENVIRONMENT_OPTION} <file>`,
      "read variables from a file like systemd's EnvironmentFile; goes before the command",
    )
    .option("--all", "with --help: show every command")
    .enablePositionalOptions() // an option after a subcommand is that one's
    .exitOverride() // process.exit during loading has hung
    .configureOutput({
      writeOut: (text) => writeText(context.stdout, text),
      writeErr: (text) => writeText(context.stderr, text),
      outputError: (text) => {
        for (const line of text.split(/\n(?=\(Did you mean )/)) context.stderr.write(line);
      },
    })
    .showHelpAfterError("(run with --help for usage)")
    .addHelpText("after", HELP_END);
  for (const [group, entries] of Object.entries(shown)) {
    program.commandsGroup(group);
    for (const [word, [does, load, need = "owner"]] of Object.entries(entries)) {
      const top = program.command(word).summary(does).description(does);
      if (name !== undefined && word !== name) continue;
      // Before a command opens anything: whoever may not run it is refused.
      top.hook("preAction", (_, action) => {
        const needed = typeof need === "string" ? need : need(action.name());
        assertOwner(context.user, { home: homeOf(context), need: needed, command: typed });
      });
      addCommands(top, (await load()).commands, context);
    }
  }
  return program;
}

/** Adds those that begin with the word of `top`, which may be one itself. */
function addCommands(top: Command, declared: readonly Declared[], context: CommandContext): void {
  const made = new Map([[top.name(), top]]);
  for (const { path, does, attach } of declared) {
    const words = path.split(" ");
    const outer = made.get(words.slice(0, -1).join(" "));
    const bare = outer?.command(words.at(-1) ?? "") ?? made.get(path);
    if (bare === undefined) continue; // of another word
    made.set(path, bare);
    if (does !== undefined) bare.description(does);
    attach(bare, context);
  }
}
