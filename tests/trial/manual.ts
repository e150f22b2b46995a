/** `npm run trial -- manual`: the commands of the manual, copied one by one on a clean Debian, and what comes of them. */
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { OperatorError } from "../../src/kernel/errors.ts";
import { Mailbox } from "../support/servers/mailbox.ts";
import { type Block, DRILL, manualBlocks, SET_UP } from "./manual/blocks.ts";
import type { SetUp } from "./manual/check.ts";
import { CHECKS } from "./manual/checks.ts";
import { assertCanRun, certificateOf, Debian, removeTree } from "./manual/debian.ts";
import { MACHINE_STAND_INS, SUBSTITUTIONS, type Substitution, substituted } from "./manual/stand-ins.ts";
import { Stranger } from "./manual/stranger.ts";
import { type RanBlock, Terminal } from "./manual/terminal.ts";
import { table } from "./table.ts";

const PROJECT = join(import.meta.dirname, "../..");
const SITE = "presence.example.org"; // as install.md has it
const MAIL_SERVER = { name: "mail.example.org", port: 465 };
const PORTS = [80, 443, MAIL_SERVER.port, 4321, 9090, 9093, 9464];

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

interface ManualOptions {
  readonly folder: string;
  readonly cache?: string;
}

/** The set-up, in the terms of the trial's table; skipped where no tree can be made. */
export async function runManual(options: ManualOptions) {
  try {
    assertCanRun();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stdout.write(`skipped: ${error.message}\n`);
    return { cases: 0, failed: 0, skipped: 1 };
  }
  const report = await followManual(options);
  process.stdout.write(reportText(report));
  return {
    cases: report.blocks.length + report.left + report.checks.length,
    failed: faults(report),
    skipped: 0,
  };
}

function faults({ blocks, left, checks }: ManualReport): number {
  const failed = [
    ...blocks.filter(({ isOk }) => !isOk),
    ...checks.filter(({ fault }) => fault !== undefined),
  ];
  return failed.length + left;
}

async function followManual({ folder, cache }: ManualOptions): Promise<ManualReport> {
  for (const port of PORTS) await assertFree(port);
  mkdirSync(folder, { recursive: true });
  const replaced = await neededOf(SUBSTITUTIONS);
  say("making a clean Debian");
  const names = [SITE, MAIL_SERVER.name];
  await using debian = await Debian.make({ folder, project: PROJECT, names, ...(cache && { cache }) });
  const certificate = certificateOf(debian, MAIL_SERVER.name);
  await using mailbox = await Mailbox.open({ port: MAIL_SERVER.port, secure: true, ...certificate });
  await using terminal = new Terminal(debian);
  const all = manualBlocks(PROJECT, [...SET_UP, DRILL]);
  const blocks = await runBlocks(terminal, all, replaced);
  const standIns = [
    ...replaced.map(({ of, by, reason }) => [`${of} → ${by}`, reason] as const),
    ...MACHINE_STAND_INS,
  ];
  const left = all.length - blocks.length;
  if (blocks.some(({ isOk }) => !isOk)) return { blocks, left, checks: [], standIns };
  const authority = readFileSync(join(debian.root, "trial/authority.pem"), "utf8");
  const checks = await runChecks({ debian, mailbox, site: SITE, stranger: new Stranger(SITE, authority) });
  return { blocks, left, checks, standIns };
}

async function assertFree(port: number): Promise<void> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", () => reject(new OperatorError(`port ${port} is in use: stop what listens there`)));
  server.listen(port, () => server.close(() => resolve()));
  await promise;
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

async function runBlocks(
  terminal: Terminal,
  blocks: readonly Block[],
  replaced: readonly Substitution[],
): Promise<RanBlock[]> {
  const ran: RanBlock[] = [];
  for (const block of blocks) {
    say(`docs/operations/${block.page}:${block.line}`);
    const result = await terminal.run(block, substituted(block, replaced));
    ran.push(result);
    if (result.isOk) continue;
    const { page, line, failedLine = line, output } = result;
    process.stderr.write(`${output}\ndocs/operations/${page}:${failedLine} failed (block of line ${line})\n`);
    break;
  }
  return ran;
}

async function runChecks(setUp: SetUp): Promise<RanCheck[]> {
  const ran: RanCheck[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
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
}

async function manual(flags: ManualFlags): Promise<void> {
  try {
    assertCanRun();
    await followInFolder(flags);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`trial: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function followInFolder({ keep, cache, json }: ManualFlags): Promise<void> {
  const folder = keep ?? mkdtempSync(join(tmpdir(), "presence-manual-"));
  try {
    const report = await followManual({ folder, ...(cache && { cache }) });
    process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : reportText(report));
    if (faults(report) > 0) process.exitCode = 1;
  } finally {
    if (keep === undefined) removeTree(folder);
  }
}

export const manualCommand = new Command("manual")
  .description(
    "Copy the commands of the manual on a clean Debian, and check the service that they make (root)",
  )
  .option("--keep <folder>", "make the tree in this folder and keep it (it must be empty)")
  .option("--cache <folder>", "keep the untouched Debian here, so that the next run is quick")
  .option("--json", "print the report as JSON")
  .action(manual);
