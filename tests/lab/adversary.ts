/**
 * `npm run adversary`: plays attackers against the checks of independence, in simulated towns and on real visits, and prints
 * what held. Exit code 1 when a bound fails.
 */

import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { theftLines } from "./adversary/identity/theft-lines.ts";
import { NAMES, playAll } from "./adversary/run.ts";
import { adversaryTable, markdownTable } from "./adversary/table.ts";

const MAX_RUNS = 100_000;
const DEFAULT_TOWNS = 5;

const options = new Command("adversary")
  .description("Plays attackers against the checks of independence and prints what held.")
  .option("--runs <count>", "runs of each attack", wholeNumber(1, MAX_RUNS), 200)
  .option("--towns <count>", "simulated towns to play in", wholeNumber(1, 100), DEFAULT_TOWNS)
  .option("--seed <number>", "of towns and attacks", wholeNumber(0, 1_000_000), 1)
  .option(
    "--sightings <count>",
    "honest sightings to steal, for each line",
    wholeNumber(100, 1_000_000),
    10_000,
  )
  .addOption(new Option("--attack <name>", "one line of the table only").choices(NAMES))
  .option(
    "--real <folder>",
    "files of real visits",
    join(import.meta.dirname, "../../../shared/observations"),
  )
  .option("--json", "print the lines as JSON")
  .option("--markdown", "print a table for the methodology")
  .parse()
  .opts<{
    runs: number;
    towns: number;
    seed: number;
    sightings: number;
    attack?: string;
    real: string;
    json?: true;
    markdown?: true;
  }>();

const progress = (message: string) => process.stderr.write(`${message}\n`);
const lines = [
  ...playAll({ ...options, realVisits: options.real, progress }),
  ...(await theftLines({ ...options, progress })),
];
const print = options.markdown ? markdownTable : adversaryTable;
process.stdout.write(`${options.json ? JSON.stringify(lines, undefined, 2) : print(lines)}\n`);
if (lines.some(({ holds }) => holds === false)) process.exitCode = 1;

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most} (got ${text})`);
    return value;
  };
}
