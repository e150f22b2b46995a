/** `npm run year`: 365 nights of a small town, as processes under a moved clock, with all that goes wrong in a year. */
import { Command } from "commander";
import { table } from "./table.ts";
import { hasMovedClock } from "./year/moved-clock.ts";
import { type Plan, SHORT, YEAR } from "./year/plan.ts";
import { runYear, type YearReport } from "./year/run.ts";

/** The year, in the terms of the trial's table; skipped where the clock cannot be moved. */
export async function runWholeYear() {
  const report = await lived(YEAR);
  if (report === undefined) return { cases: 0, failed: 0, skipped: 1 };
  process.stdout.write(yearText(report));
  return { cases: report.nights, failed: report.faults.length, skipped: 0 };
}

async function lived(plan: Plan): Promise<YearReport | undefined> {
  if (!hasMovedClock()) {
    process.stdout.write("skipped: faketime is not installed (apt-get install faketime)\n");
    return undefined;
  }
  return await runYear(plan, { say: (line) => process.stderr.write(`${line}\n`) });
}

function yearText(report: YearReport): string {
  const { nightSeconds, arrived, events, faults } = report;
  const at = (share: number) => (nightSeconds[Math.floor(nightSeconds.length * share)] ?? 0).toFixed(1);
  const counts = [
    ["nights", report.nights],
    ["verified, replayed and mirrored", report.checked],
    ["lines", report.lines],
    ["rows", report.rows],
    ["records", report.records],
    ["records that left", report.erased],
    ["events that arrived", arrived.events],
    ["deliveries by webhook", arrived.deliveries],
    ["emails", arrived.emails],
    ["server at the end, MB", report.serverMb],
    ["seconds", Math.round(report.seconds)],
    ["a night, median seconds", at(0.5)],
    ["a night, longest seconds", at(0.999)],
    ["faults", faults.length],
  ] as const;
  const rows = events.map(([night, name, seconds]) => [name, night, seconds.toFixed(1)] as const);
  return [
    table(["a year", ""], counts),
    table(["event", "night", "seconds"], rows),
    faults.map((fault) => `FAULT ${fault}\n`).join(""),
  ].join("\n");
}

async function year({ short, json }: { readonly short?: boolean; readonly json?: boolean }): Promise<void> {
  const report = await lived(short === true ? SHORT : YEAR);
  if (report === undefined) return;
  process.stdout.write(json === true ? `${JSON.stringify(report)}\n` : yearText(report));
  if (report.faults.length > 0) process.exitCode = 1;
}

export const yearCommand = new Command("year")
  .description("Live through 365 nights of a small town under a moved clock, and check what readers see")
  .option("--short", "six nights around a leap day, as in npm test")
  .option("--json", "print the report as JSON")
  .action(year);
