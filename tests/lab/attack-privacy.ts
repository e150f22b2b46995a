/**
 * `npm run attack:privacy`: plays a reader who knows every public file against invented fleets, scouts and owners whose truth
 * is known, and prints how often he is right. Exit code 1 when a goal is missed.
 */

import { Command } from "commander";
import { Operator } from "../support/operations/operator.ts";
import { attackPrivacy } from "./attack/run.ts";
import { attackTable } from "./attack/score.ts";

const MIN_NIGHTS = 3;

const options = new Command("attack:privacy")
  .option("--nights <count>", "simulated nights, at least 3", "6")
  .option("--seed <number>", "of the simulated world", "1")
  .option("--json", "print the lines as JSON")
  .parse()
  .opts<{ nights: string; seed: string; json?: true }>();

const nights = Math.max(MIN_NIGHTS, Number(options.nights) || 0);
using operator = new Operator();
const lines = await attackPrivacy(operator, { seed: Number(options.seed) || 0, nights });
process.stdout.write(`${options.json ? JSON.stringify(lines, undefined, 2) : attackTable(lines)}\n`);
if (lines.some(({ isMet }) => isMet === false)) process.exitCode = 1;
