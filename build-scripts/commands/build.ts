import type { Command } from "commander";
import { type CommandContext, printResult } from "../context.ts";
import type { ReleaseSummary } from "../nightly.ts";
import { makeRelease, type ReleaseOptions } from "../release.ts";
import { sealAndStamp } from "../seal-and-stamp.ts";

type BuildOptions = ReleaseOptions & { readonly json?: boolean };

export function addBuildCommands(program: Command, context: CommandContext): void {
  program
    .command("build")
    .description("build a release of the sealed rows and publish it")
    .option("--as-of <time>", "clock of windows and ages: a date or a time with zone (default: now)")
    .option("--tree-size <rows>", "rebuild from an earlier checkpoint of this size")
    .option("--json", "print the summary as JSON")
    .action(async (options: BuildOptions) => {
      printResult(context, options.json, summaryFields(await makeRelease(context, options)));
    });

  program
    .command("nightly")
    .description("seal the finished days, then build and publish")
    .option("--now", "seal today's rows too")
    .option("--clock <time>", "time to seal at; not for production ledgers")
    .option("--json", "print the summary as JSON")
    .action(async (options: { now?: boolean; clock?: string; json?: boolean }) => {
      await sealAndStamp(context, options);
      printResult(context, options.json, summaryFields(await makeRelease(context, {})));
    });
}

function summaryFields(summary: ReleaseSummary): Record<string, unknown> {
  return {
    release: summary.releaseId,
    directory: summary.directory,
    rows: summary.rows,
    observations: summary.observations,
    records: summary.records,
    cities: summary.cities,
    files_written: summary.filesWritten,
    files_linked: summary.filesLinked,
    releases_removed: summary.releasesRemoved,
    links_checked: summary.links,
    seconds: summary.seconds,
    peak_memory_mb: summary.peakMemoryMb,
  };
}
