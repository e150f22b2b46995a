import type { Command } from "commander";
import { planOptOut } from "../../src/intake/erasure-plan.ts";
import type { CommandContext } from "../context.ts";
import { addErasureOptions, type ErasureOptions, runErasure } from "../erasure.ts";

export function addOptOutCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("opt-out <public-id>")
    .description(
      "erase a record with all its rows, and refuse its names in its city from now on; in two steps",
    );
  addErasureOptions(command).action(async (target: string, options: ErasureOptions) => {
    await runErasure(context, { kind: "opt_out", target, reason: options.reason }, options, planOptOut);
  });
}
