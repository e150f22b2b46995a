/** `npm run trial -- real`: public records of real places through intake and a release, with every count checked. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { configFrom } from "../../src/kernel/config/config.ts";
import { systemUser } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { systemClock } from "../../src/kernel/time.ts";
import type { CommandContext } from "../../src/operations/context.ts";
import { dataFolders, missingFiles } from "./real/data-sets.ts";
import { buildTwice, realContext, takeInAll } from "./real/run.ts";
import { realTable } from "./real/table.ts";

interface RealOptions {
  readonly folder: string; // must not hold a ledger
  readonly lines?: string; // of each file; all when absent
  readonly json?: boolean;
}

/** Intake and two builds of the public records, in the terms of the trial's table; skipped where the records are absent. */
export async function runReal({ folder, lines, json = false }: RealOptions) {
  const base: CommandContext = {
    config: configFrom({}),
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    user: systemUser(),
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const missing = missingFiles(dataFolders(base.project));
  if (missing.length > 0) {
    base.stdout.write(`skipped: public records are missing (${missing.join(", ")})\n`);
    return { cases: 0, failed: 0, skipped: 1 };
  }
  mkdirSync(folder, { recursive: true });
  const context = realContext(base, folder);
  const taken = await takeInAll(context, lines === undefined ? undefined : Number(lines));
  const built = await buildTwice(context, taken);
  const faults = [...taken.flatMap((one) => one.faults), ...built.faults];
  base.stdout.write(json ? `${JSON.stringify({ taken, built })}\n` : realTable(taken, built));
  for (const fault of faults) base.stderr.write(`FAULT ${fault}\n`);
  return { cases: built.documents, failed: faults.length, skipped: 0 };
}

interface RealFlags extends Omit<RealOptions, "folder"> {
  readonly keep?: string;
}

async function real({ keep, ...options }: RealFlags): Promise<void> {
  const folder = keep ?? mkdtempSync(join(tmpdir(), "presence-real-"));
  try {
    const { failed } = await runReal({ ...options, folder });
    if (failed > 0) process.exitCode = 1;
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

export const realCommand = new Command("real")
  .description(
    "Take in public records of Toronto, Chicago and San Francisco, build twice, and check every count",
  )
  .option("--keep <folder>", "work in this folder and keep ledger and release (it must not hold a ledger)")
  .option("--lines <count>", "take only the first lines of each file")
  .option("--json", "print the figures as JSON")
  .action(real);
