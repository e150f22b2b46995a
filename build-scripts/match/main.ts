/**
 * `npm run match`: how well intake matches sightings to records and assets, on files of real visits where they are at hand and on
 * invented towns. `--against` measures another commit with the same lines.
 */
import { join } from "node:path";
import { Command, Option } from "commander";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { boundFaults } from "./measures.ts";
import { measureSets, SET_NAMES } from "./run.ts";
import { figuresTable, measureAgainst, mistakesTable } from "./table.ts";

const options = new Command("match")
  .description("Measures how well sightings are matched to records and assets.")
  .addOption(new Option("--only <set>", "one set only").choices(SET_NAMES))
  .option(
    "--real <folder>",
    "files of real visits",
    join(import.meta.dirname, "../../../shared/observations"),
  )
  .option("--against <commit>", "measure that commit, too, and compare")
  .option("--mistakes <count>", "print so many of each set's costliest mistakes", Number, 0)
  .option("--json", "print the figures as JSON, with the fifty costliest mistakes of each set")
  .parse()
  .opts<{ only?: string; real: string; against?: string; mistakes: number; json?: true }>();

const progress = (message: string) => process.stderr.write(`${message}\n`);
const here = await measureSets({ ...options, classifier: classifier(loadClassifierReference()), progress });
const there = options.against === undefined ? [] : await measureAgainst({ ...options, ref: options.against });
const faults = boundFaults(here, there);
process.stdout.write(
  options.json
    ? `${JSON.stringify({ here, there, faults }, undefined, 1)}\n`
    : `${figuresTable(here, there)}\n${mistakesTable(here, options.mistakes)}${faults.map((fault) => `BOUND: ${fault}\n`).join("")}`,
);
if (faults.length > 0) process.exitCode = 1;
