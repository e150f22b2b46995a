import type { Command } from "commander";
import type { ReleaseSummary } from "../../../build/build-release.ts";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { makeRelease, type ReleaseOptions } from "../../../operations/release.ts";

type BuildOptions = ReleaseOptions & { readonly json?: boolean };

export function defineBuild(command: Command, context: CommandContext): void {
  command
    .option("--as-of <time>", "clock of windows and ages: a date or a time with zone (default: now)")
    .option("--tree-size <rows>", "rebuild from an earlier checkpoint of this size")
    .option(
      "--against <release>",
      "id of a kept release for the change file, or none (default: the one before)",
    )
    .option("--json", "print the summary as JSON")
    .action(async (options: BuildOptions) => {
      printResult(context, options.json, summaryFields(await makeRelease(context, options)));
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
