import type { Command } from "@commander-js/extra-typings";
import type { NightlyStatus } from "../../../kernel/nightly-status.ts";
import { type CommandContext, printJson, printLines } from "../../../operations/context.ts";
import { ExitError } from "../../../operations/exit-error.ts";
import { runNight } from "../../../operations/night/night.ts";
import { EXIT, monitorLine } from "../../../operations/night/run-steps.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .option("--now", "also take in today's lines and seal today's rows")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `\nExit code ${EXIT.done}: done. ${EXIT.failed}: refused or failed; the previous release stays published. ` +
        `${EXIT.degraded}: the release is published, but another step failed. ` +
        `${EXIT.held}: the release is built and held, and the previous one stays published; see presence release list. ${EXIT.busy}: another night is running.`,
    )
    .action(async ({ json, ...options }) => {
      const status = await runNight(context, options);
      if (json) printJson(context, status);
      else printLines(context, [monitorLine(status)]);
      const { exit_code } = status;
      if (exit_code !== EXIT.done) {
        const [first = "nightly: failed", ...lines] = failures(status);
        throw new ExitError(exit_code ?? EXIT.failed, first, { lines });
      }
    });
}

/** Why the night did not end as it should. */
function failures({ steps }: NightlyStatus): string[] {
  return steps.flatMap(({ name, outcome, facts }) => {
    if (outcome === "held")
      return [
        `nightly: the release ${facts["release"]} is held: ${facts["held_because"]}. The previous one stays published. Read \`presence release diff\``,
      ];
    if (outcome !== "failed") return [];
    return [`nightly: ${name} failed: ${String(facts["error"]).replace(/^presence: /, "")}`];
  });
}
