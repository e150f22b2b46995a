/** `npm run trial -- week`: public records of real places through seven nights with all that an operator does, every night checked. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { sourceRevision } from "../../src/operations/release-settings.ts";
import { dataFolders, missingFiles } from "./real/data-sets.ts";
import { Machine } from "./week/machine.ts";
import { DAYS, runWeek, type WeekReport } from "./week/run.ts";
import { realWorld } from "./week/shares.ts";
import { weekTable } from "./week/table.ts";

const PROJECT = join(import.meta.dirname, "../..");

interface WeekOptions {
  readonly folder: string; // must not hold a ledger
  readonly share?: number; // of the places, above 0 and at most 1
  readonly seed?: number;
}

/** Seven nights over the public records, in the terms of the trial's table; skipped where the records are absent. */
export async function runWholeWeek(options: WeekOptions) {
  const report = await realWeek(options);
  if (report === undefined) return { cases: 0, failed: 0, skipped: 1 };
  process.stdout.write(weekTable(report));
  const failed = report.nights.reduce((sum, { faults }) => sum + faults.length, 0);
  return { cases: report.nights.length, failed, skipped: 0 };
}

async function realWeek({ folder, share = 1, seed = 7 }: WeekOptions): Promise<WeekReport | undefined> {
  const folders = dataFolders(PROJECT);
  const missing = missingFiles(folders);
  if (missing.length > 0) {
    process.stdout.write(`skipped: public records are missing (${missing.join(", ")})\n`);
    return undefined;
  }
  mkdirSync(folder, { recursive: true });
  const world = realWorld(folders, { folder: join(folder, "lines"), share, days: DAYS, seed });
  const machine = new Machine(folder, {
    BASE_URL: "https://week.example",
    PORT: "0",
    SOURCE_REVISION: sourceRevision(PROJECT), // once: a commit between two nights would change it
  });
  return runWeek(machine, world, { seed, say: (line) => process.stderr.write(`${line}\n`) });
}

interface WeekFlags {
  readonly keep?: string;
  readonly json?: boolean;
  readonly share: number;
  readonly seed: number;
}

async function week({ keep, json, ...options }: WeekFlags): Promise<void> {
  const folder = keep ?? mkdtempSync(join(tmpdir(), "presence-week-"));
  try {
    const report = await realWeek({ ...options, folder });
    if (report === undefined) return;
    process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : weekTable(report));
    if (report.nights.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function parseShare(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("must be above 0 and at most 1");
  return value;
}

function parseWhole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError("must be a whole number");
  return value;
}

export const weekCommand = new Command("week")
  .description("Run seven nights over public records of Toronto, Chicago and San Francisco, and check each")
  .option("--keep <folder>", "work in this folder and keep ledger and releases (it must not hold a ledger)")
  .option("--share <part>", "take this part of the places, such as 0.2", parseShare, 1)
  .option("--seed <number>", "seed of what is held back, drawn and killed", parseWhole, 7)
  .option("--json", "print the report as JSON")
  .action(week);
