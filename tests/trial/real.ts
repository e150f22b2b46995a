import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { configFrom } from "../../src/kernel/config.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { systemClock } from "../../src/kernel/time.ts";
import type { CommandContext } from "../../src/operations/context.ts";
import { dataFolders, missingFiles } from "./real/data-sets.ts";
import { buildTwice, realContext, takeInAll } from "./real/run.ts";
import { realTable } from "./real/table.ts";

/** `npm run real`: public records of real places through intake and a release, with every count checked. */

interface RealOptions {
  readonly keep?: string;
  readonly json?: boolean;
  readonly lines?: string;
}

async function runReal(options: RealOptions): Promise<void> {
  const base: CommandContext = {
    config: configFrom({}),
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const missing = missingFiles(dataFolders(base.project));
  if (missing.length > 0) {
    base.stdout.write(`nothing to do: the data is not there (${missing.join(", ")})\n`);
    return;
  }
  const home = options.keep ?? mkdtempSync(join(tmpdir(), "presence-real-"));
  mkdirSync(home, { recursive: true });
  try {
    const context = realContext(base, home);
    const taken = await takeInAll(context, options.lines === undefined ? undefined : Number(options.lines));
    const built = await buildTwice(context, taken);
    const faults = [...taken.flatMap((one) => one.faults), ...built.faults];
    const report = options.json === true ? `${JSON.stringify({ taken, built })}\n` : realTable(taken, built);
    base.stdout.write(report);
    for (const fault of faults) base.stderr.write(`FAULT ${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    if (options.keep === undefined) rmSync(home, { recursive: true, force: true });
  }
}

await new Command("real")
  .description(
    "take public records of Toronto, Chicago and San Francisco in, build a release twice, check all",
  )
  .option(
    "--keep <folder>",
    "work in this folder and leave ledger and release there (it must not hold a ledger)",
  )
  .option("--lines <count>", "only the first lines of each file")
  .option("--json", "print everything counted as JSON")
  .action(runReal)
  .parseAsync();
