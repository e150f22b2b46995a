import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { sourceRevision } from "../../src/operations/source-revision.ts";
import { dataFolders, missingFiles } from "./real/data-sets.ts";
import { Machine } from "./week/machine.ts";
import { DAYS, runWeek } from "./week/run.ts";
import { realWorld } from "./week/shares.ts";
import { weekTable } from "./week/table.ts";

/** `npm run week`: public records of real places through seven nights with all that an operator does, every night checked. */

interface WeekCommand {
  readonly keep?: string;
  readonly json?: boolean;
  readonly share: number;
  readonly seed: number;
}

async function week({ keep, json, share, seed }: WeekCommand): Promise<void> {
  const project = join(import.meta.dirname, "../..");
  const folders = dataFolders(project);
  const missing = missingFiles(folders);
  if (missing.length > 0) {
    process.stdout.write(`nothing to do: the data is not there (${missing.join(", ")})\n`);
    return;
  }
  const folder = keep ?? mkdtempSync(join(tmpdir(), "presence-week-"));
  mkdirSync(folder, { recursive: true });
  try {
    const world = realWorld(folders, { folder: join(folder, "lines"), share, days: DAYS, seed });
    const machine = new Machine(folder, {
      BASE_URL: "https://week.example",
      PORT: "0",
      SOURCE_REVISION: sourceRevision(project), // once: somebody may commit between two nights
    });
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const report = await runWeek(machine, world, { seed, say });
    process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : weekTable(report));
    if (report.nights.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("Give a number above 0, 1 at most.");
  return value;
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("Give a whole number.");
  return value;
}

await new Command("week")
  .description(
    "live through a week with public records of Toronto, Chicago and San Francisco: seven nights, reviews, merges, an opt-out, a kill; check all",
  )
  .option(
    "--keep <folder>",
    "work in this folder and leave ledger and releases there (it must not hold a ledger)",
  )
  .option("--share <part>", "only this part of the places, such as 0.2", share, 1)
  .option("--seed <number>", "what is held back, drawn and killed follows from it", whole, 7)
  .option("--json", "print everything counted as JSON")
  .action(week)
  .parseAsync();
