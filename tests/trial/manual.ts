/** `npm run trial -- manual`: the commands of the manual, copied one by one on a clean Debian, and what comes of them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { z } from "zod";
import { OperatorError } from "../../src/kernel/errors.ts";
import { missingForMachines } from "../support/machine/image.ts";
import type { Machine } from "../support/machine/machine.ts";
import { inOwnNetwork } from "../support/machine/network.ts";
import { Mailbox } from "../support/servers/mailbox.ts";
import { type Block, manualPages, sectionBlocks, setUpBlocks, withValues } from "./manual/blocks.ts";
import type { SetUp } from "./manual/check.ts";
import { CHECKS } from "./manual/checks.ts";
import { countDelivered, DAYS, LAST, TOWN_SIZE } from "./manual/days.ts";
import { bootDebian, certificateOf, debianImage } from "./manual/debian.ts";
import { businesses, CLUB, clubDelivery, FIRM, firmDelivery, MAPS, VALUES } from "./manual/deliveries.ts";
import { MACHINE_STAND_INS, SUBSTITUTIONS, type Substitution, substituted } from "./manual/stand-ins.ts";
import { Stranger } from "./manual/stranger.ts";
import { type RanBlock, Terminal } from "./manual/terminal.ts";
import { table } from "./table.ts";

const PROJECT = join(import.meta.dirname, "../..");
const DOCS = join(PROJECT, "docs");
const SITE = "presence.example.org"; // as page 1 has it
const MAIL_SERVER = { name: "mail.example.org", port: 465 };

interface RanCheck {
  readonly name: string;
  readonly seconds: number;
  readonly seen?: string;
  readonly fault?: string;
}

interface ManualReport {
  readonly blocks: readonly RanBlock[];
  readonly left: number; // blocks after the one that failed
  readonly checks: readonly RanCheck[];
  readonly standIns: readonly (readonly [string, string])[];
}

const Counts = z.object({ cases: z.int(), failed: z.int() });

interface ManualOptions {
  readonly folder: string;
  readonly cache?: string;
  readonly docs: string; // folder of the documents that are typed
  readonly image?: string; // of another machine than the clean one
}

/** The set-up, in the terms of the trial's table; skipped where no machine can be made. */
export async function runManual({ folder }: Pick<ManualOptions, "folder">) {
  const missing = missingForMachines();
  if (missing !== undefined) {
    process.stdout.write(`skipped: ${missing}\n`);
    return { cases: 0, failed: 0, skipped: 1 };
  }
  return { ...(await followElsewhere({ keep: folder })), skipped: 0 };
}

function faults({ blocks, left, checks }: ManualReport): number {
  const failed = [
    ...blocks.filter(({ isOk }) => !isOk),
    ...checks.filter(({ fault }) => fault !== undefined),
  ];
  return failed.length + left;
}

async function followManual({ folder, cache, docs, image }: ManualOptions): Promise<ManualReport> {
  mkdirSync(folder, { recursive: true });
  const replaced = await neededOf(SUBSTITUTIONS);
  const all = setUpBlocks(docs);
  const names = [SITE, MAIL_SERVER.name];
  await using debian = bootDebian({ folder, ...machineOf(docs, cache), names, ...(image && { image }) });
  putDeliveries(debian);
  const certificate = certificateOf(debian, MAIL_SERVER.name);
  await using mailbox = await Mailbox.open({ port: MAIL_SERVER.port, secure: true, ...certificate });
  const blocks = await runBlocks(debian, all, replaced);
  const standIns = [
    ...replaced.map(({ of, by, reason }) => [`${of} → ${by}`, reason] as const),
    ...MACHINE_STAND_INS,
  ];
  const left = all.length - blocks.length;
  if (blocks.some(({ isOk }) => !isOk)) return { blocks, left, checks: [], standIns };
  const authority = readFileSync(join(debian.root, "trial/authority.pem"), "utf8");
  const checks = await runChecks({
    debian,
    mailbox,
    site: SITE,
    stranger: new Stranger(SITE, authority),
    docs,
  });
  return { blocks, left, checks, standIns };
}

/** The first deliveries and what their operator wrote after reading the pages: the maps. */
function putDeliveries(debian: Machine): void {
  const town = businesses(TOWN_SIZE);
  const end = Date.now();
  const firm = firmDelivery(town, { end, days: 4, times: 8 });
  const club = clubDelivery(town, { end, days: 4, times: 4 });
  for (const [name, { bytes, lines }] of [
    ["uitvoer.csv", firm],
    ["rundgang.csv", club],
  ] as const) {
    writeFileSync(join(debian.root, "root", name), bytes);
    countDelivered(debian, lines);
  }
  const maps = join(debian.root, "etc/presence/maps");
  mkdirSync(maps, { recursive: true });
  for (const source of [FIRM, CLUB])
    writeFileSync(join(maps, `${source}.json`), JSON.stringify(MAPS[source]));
}

function machineOf(docs: string, cache: string | undefined) {
  const upgrade = sectionBlocks(docs, { page: manualPages(docs).at(-1) ?? "", section: "10-upgrade" });
  const commands = [...setUpBlocks(docs), ...upgrade].map(({ text }) => text).join("\n");
  return { project: PROJECT, commands, ...(cache !== undefined && { cache }) };
}

/** The substitutions that this machine needs. */
async function neededOf(table: readonly Substitution[]): Promise<Substitution[]> {
  const needed: Substitution[] = [];
  for (const each of table)
    if (each.onlyWithout === undefined || !(await answers(each.onlyWithout))) needed.push(each);
  return needed;
}

async function answers(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return false;
  }
}

/** In one shell, which ends with them: a shell that a machine's end stops would keep the machine from its end. */
async function runBlocks(
  debian: Machine,
  blocks: readonly Block[],
  replaced: readonly Substitution[],
): Promise<RanBlock[]> {
  await using terminal = new Terminal(debian);
  const ran: RanBlock[] = [];
  for (const block of blocks) {
    say(`docs/${block.page}:${block.line}`);
    const result = await terminal.run(block, withValues(substituted(block, replaced), VALUES));
    ran.push(result);
    if (result.isOk) continue;
    const { page, line, failedLine = line, output } = result;
    process.stderr.write(`${output}\ndocs/${page}:${failedLine} failed (block of line ${line})\n`);
    break;
  }
  return ran;
}

async function runChecks(setUp: SetUp): Promise<RanCheck[]> {
  const ran: RanCheck[] = [];
  for (const [name, check] of Object.entries({ ...CHECKS, ...DAYS, ...LAST })) {
    say(name);
    const start = performance.now();
    const result = await check(setUp).then(
      (seen) => ({ seen }),
      (error: Error) => ({ fault: error.message }),
    );
    if ("fault" in result) process.stderr.write(`FAULT ${name}: ${result.fault}\n`);
    ran.push({ name, seconds: (performance.now() - start) / 1000, ...result });
  }
  return ran;
}

const say = (text: string) => process.stderr.write(`-- ${text}\n`);

function reportText({ blocks, left, checks, standIns }: ManualReport): string {
  const outcome = (isOk: boolean) => (isOk ? "ok" : "FAILED");
  const parts = [
    table(
      ["block", "seconds", ""],
      blocks.map(({ page, line, seconds, isOk }) => [`${page}:${line}`, seconds.toFixed(1), outcome(isOk)]),
    ),
    left > 0 ? `${left} blocks were not run\n` : "",
    table(
      ["check", "seconds", ""],
      checks.map(({ name, seconds, fault }) => [name, seconds.toFixed(1), outcome(fault === undefined)]),
    ),
    `Stand-ins:\n${standIns.map(([of, reason]) => `- ${of}: ${reason}\n`).join("")}`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

interface ManualFlags {
  readonly keep?: string;
  readonly cache?: string;
  readonly json?: boolean;
  readonly here?: boolean;
  readonly docs?: string;
  readonly image?: string;
}

async function manual(flags: ManualFlags): Promise<void> {
  try {
    await follow(flags);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`trial: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function follow(flags: ManualFlags): Promise<void> {
  const { json, here } = flags;
  const missing = missingForMachines();
  if (missing !== undefined) throw new OperatorError(`the trial of the manual needs a machine: ${missing}`);
  if (here === true) return followHere(flags);
  const { failed, report } = await followElsewhere(flags);
  if (json === true) process.stdout.write(`${report}\n`);
  if (failed > 0) process.exitCode = 1;
}

async function followHere({ keep, cache, docs = DOCS, image }: ManualFlags): Promise<void> {
  const folder = keep ?? mkdtempSync(join(tmpdir(), "presence-manual-"));
  try {
    const report = await followManual({ folder, docs, ...(cache && { cache }), ...(image && { image }) });
    process.stderr.write(reportText(report));
    const cases = report.blocks.length + report.left + report.checks.length;
    process.stdout.write(`${JSON.stringify({ cases, failed: faults(report), ...report })}\n`);
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** The same in a process whose network reaches nothing, once what needs one is there. */
async function followElsewhere({ keep, cache, docs = DOCS, image }: ManualFlags) {
  say("making a clean Debian, unless it is kept");
  if (image === undefined) debianImage(machineOf(docs, cache));
  const given = Object.entries({ keep, cache, docs, image });
  const words = given.flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
  const main = join(import.meta.dirname, "main.ts");
  const { stdout } = await inOwnNetwork(process.execPath, [main, "manual", "--here", ...words]);
  const report = stdout.trimEnd().split("\n").at(-1) ?? "";
  return { ...Counts.parse(JSON.parse(report)), report };
}

export const manualCommand = new Command("manual")
  .description(
    "Copy the commands of the manual on a clean Debian, and check the service that they make (root)",
  )
  .option("--keep <folder>", "let the machine write into this folder and keep it (it must be empty)")
  .option("--cache <folder>", "keep images of the untouched Debian here, in place of the usual cache")
  .option("--docs <folder>", "type the documents in this folder, in place of those of this project")
  .option("--image <folder>", "boot the Debian in this folder, in place of a clean one")
  .option("--json", "print the report as JSON")
  .option("--here", "in the network of this process, which must have no other machines")
  .action(manual);
