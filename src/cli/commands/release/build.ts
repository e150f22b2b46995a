import type { Command } from "@commander-js/extra-typings";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { ExitError } from "../../../operations/exit-error.ts";
import { openLateRelease } from "../../../operations/incidents/late-release.ts";
import { settleIncidents } from "../../../operations/incidents/publish-incidents.ts";
import { EXIT } from "../../../operations/night/run-steps.ts";
import { makeRelease } from "../../../operations/release.ts";
import { JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .option(
      "--as-of <time>",
      "time that windows and ages refer to: a date or a time with zone (default: now)",
    )
    .option("--tree-size <rows>", "rebuild from an earlier checkpoint of this size")
    .option(
      "--against <release>",
      "id of a kept release for the change file, or none (default: the previous one)",
    )
    .option("--anew", "take no file over from the release before, which may be damaged")
    .option(...JSON_OPTION)
    .addHelpText("after", `\nExit code ${EXIT.held}: the release is built and held (see presence release).`)
    .action(async ({ json, ...options }) => {
      if (options.asOf === undefined) openLateRelease(context);
      const summary = await makeRelease(context, options);
      const { held } = summary;
      if (options.asOf === undefined && held === null) await settleIncidents(context);
      printResult(context, json, {
        release: summary.releaseId,
        state: held === null ? "published" : "held",
        ...(held && { held_because: held.findings.map(({ text }) => text) }),
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
      });
      if (held !== null)
        throw new ExitError(
          EXIT.held,
          "the release is held, and the previous one stays published: read `presence release diff`",
        );
    });
}
