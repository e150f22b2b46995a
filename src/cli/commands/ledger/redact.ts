import type { Command } from "commander";
import { planRedaction } from "../../../intake/erasure/erasure-plan.ts";
import type { CommandContext } from "../../../operations/context.ts";
import { addErasureOptions, type ErasureOptions, runErasure } from "../../../operations/erasure/erasure.ts";

export function defineRedact(command: Command, context: CommandContext): void {
  addErasureOptions(command.argument("<row>")).action(async (target: string, options: ErasureOptions) => {
    await runErasure(context, { kind: "redaction", target, reason: options.reason }, options, planRedaction);
  });
}
