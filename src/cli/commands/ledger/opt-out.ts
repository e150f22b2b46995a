import type { Command } from "commander";
import { planOptOut } from "../../../intake/erasure/erasure-plan.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { addErasureOptions, type ErasureOptions, runErasure } from "../../../operations/erasure/erasure.ts";

export function defineOptOut(command: Command, context: CommandContext): void {
  addErasureOptions(command.argument("<public-id>")).action(
    async (target: string, options: ErasureOptions) => {
      await runErasure(context, { kind: "opt_out", target, reason: options.reason }, options, planOptOut);
    },
  );
}
