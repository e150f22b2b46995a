import type { Command } from "commander";
import { planRedaction } from "../../src/intake/erasure-plan.ts";
import type { CommandContext } from "../context.ts";
import { addErasureOptions, type ErasureOptions, runErasure } from "../erasure.ts";

export function addRedactCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("redact <row>")
    .description(
      "erase an observation, identity, status or review row, and what existed only because of it; in two steps",
    );
  addErasureOptions(command).action(async (target: string, options: ErasureOptions) => {
    await runErasure(context, { kind: "redaction", target, reason: options.reason }, options, planRedaction);
  });
}
