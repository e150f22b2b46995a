import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, homeOf, printJson, printLines } from "../../../operations/context.ts";
import { type Diagnosis, examine } from "../../../operations/doctor/examine.ts";
import { existingState } from "../../../operations/existing-state.ts";
import { JSON_OPTION } from "../../command.ts";

const SERVER_UNIT = "/etc/systemd/system/presence.service";

export function define(command: Command, context: CommandContext): void {
  command
    .option("--full", "check every row of the ledger, and the state's indexes, however long it takes")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExit code 0: no problem. 1: at least one problem.")
    .action(async ({ full = false, json }) => {
      const checks = await examine({
        config: context.config,
        home: homeOf(context),
        now: context.clock(),
        isFull: full,
        serverUnit: SERVER_UNIT,
        freeBytes,
        openState: () => existingState(context),
      });
      if (json) printJson(context, { checks });
      else printLines(context, checks.flatMap(plainLines));
      const count = checks.reduce((sum, { findings }) => sum + findings.length, 0);
      if (count > 0) throw new OperatorError(`${count} ${count === 1 ? "problem" : "problems"} found`);
    });
}

function plainLines({ check, findings }: Diagnosis): string[] {
  if (findings.length === 0) return [`ok     ${check}`];
  return findings.flatMap(({ problem, mend }) => [`MEND   ${check}: ${problem}`, `       ${mend}`]);
}

function freeBytes(path: string): number {
  if (!existsSync(path)) return freeBytes(dirname(path));
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
