import type { Command } from "commander";
import type { NightlyStatus } from "../../../kernel/nightly-status.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { ExitError } from "../../../operations/exit-error.ts";
import { runNight } from "../../../operations/night/night.ts";
import { EXIT, monitorLine } from "../../../operations/night/run-steps.ts";

export function defineNightly(command: Command, context: CommandContext): void {
  command
    .option("--now", "seal today's rows too")
    .option("--clock <time>", "time to seal at; not for production ledgers")
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `\nExit code ${EXIT.done}: all is done. ${EXIT.failed}: refused or failed, the release before stays. ` +
        `${EXIT.degraded}: the release is published, but another step failed. ${EXIT.busy}: another night runs.`,
    )
    .action(async ({ json, ...options }: { now?: boolean; clock?: string; json?: boolean }) => {
      const status = await runNight(context, options);
      context.stdout.write(json === true ? `${JSON.stringify(status)}\n` : `${monitorLine(status)}\n`);
      const { exit_code } = status;
      if (exit_code !== EXIT.done) throw new ExitError(exit_code ?? EXIT.failed, failures(status));
    });
}

function failures({ steps }: NightlyStatus): string {
  const failed = steps.filter(({ outcome }) => outcome === "failed");
  return failed
    .map(({ name, facts }) => `nightly: ${name} failed: ${String(facts["error"]).replace(/^presence: /, "")}`)
    .join("\n");
}
