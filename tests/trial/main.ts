/** `npm run trial`: the long form of the tests, with one table at the end. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { z } from "zod";
import { manualCommand, runManual } from "./manual.ts";
import { realCommand, runReal } from "./real.ts";
import { runSpeed } from "./speed.ts";
import { table } from "./table.ts";
import { runWholeWeek, weekCommand } from "./week.ts";
import { runWholeYear, yearCommand } from "./year.ts";

/** One line of the table. */
export interface Stage {
  readonly name: string;
  readonly cases: number; // tests, nights, or documents
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
}

type Outcome = Omit<Stage, "name" | "seconds">;

/** What vitest runs in its long form (tests/support/trial.ts), by stage. */
const SUITES = {
  properties: ["src", "build-scripts"],
  kills: [
    "tests/operator/kills",
    "tests/operator/nightly",
    "tests/operator/backup",
    "tests/evidence/redaction",
  ],
  "fuzzed requests": ["tests/mcp/fuzz"],
  attacks: ["tests/evidence", "tests/site/verify-page", "tests/operator/refusals"],
  damages: ["tests/operator/damages"],
  pages: ["tests/site/pages", "tests/site/lighthouse"],
  "a town's week": ["tests/operator/week"],
  "other people's programs": ["tests/outside"],
} as const;

const Report = z.object({
  numTotalTests: z.int(),
  numFailedTests: z.int(),
  numFailedTestSuites: z.int(),
  numPendingTests: z.int(),
});

function runSuite(files: readonly string[], folder: string): Outcome {
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  spawnSync("npx", ["vitest", "run", "--mode", "trial", ...reporters, ...files], { stdio: "inherit" });
  const counts = Report.parse(JSON.parse(readFileSync(report, "utf8")));
  return {
    cases: counts.numTotalTests,
    failed: Math.max(counts.numFailedTests, counts.numFailedTestSuites),
    skipped: counts.numPendingTests,
  };
}

async function timed(name: string, run: () => Outcome | Promise<Outcome>): Promise<Stage> {
  const start = performance.now();
  process.stderr.write(`\n== ${name}\n`);
  const outcome = await run();
  return { name, ...outcome, seconds: (performance.now() - start) / 1000 };
}

async function runAll({ json = false }: { readonly json?: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "presence-trial-"));
  const stages: Stage[] = [];
  try {
    for (const [name, files] of Object.entries(SUITES))
      stages.push(await timed(name, () => runSuite(files, folder)));
    stages.push(await timed("speed", runSpeed));
    stages.push(await timed("real week", () => runWholeWeek({ folder: join(folder, "week") })));
    stages.push(await timed("real records", () => runReal({ folder: join(folder, "real") })));
    stages.push(await timed("a year", runWholeYear));
    stages.push(await timed("the manual", () => runManual({ folder: join(folder, "manual") })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(json ? `${JSON.stringify(stages)}\n` : `\n${trialTable(stages)}`);
  if (stages.some(({ failed }) => failed > 0)) process.exitCode = 1;
}

function trialTable(stages: readonly Stage[]): string {
  return table(
    ["stage", "cases", "failed", "skipped", "seconds"],
    stages.map(({ name, cases, failed, skipped, seconds }) => [
      name,
      cases,
      failed,
      skipped,
      seconds.toFixed(1),
    ]),
  );
}

await new Command("trial")
  .description(
    "Run every kill, fuzzed request, attack, week, real record, other people's programs, a year and the manual, and print one table",
  )
  .option("--json", "print the stages as JSON")
  .action(runAll)
  .addCommand(weekCommand)
  .addCommand(realCommand)
  .addCommand(manualCommand)
  .addCommand(yearCommand)
  .parseAsync();
