import type { Command } from "commander";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { type SealOptions, sealAndStamp } from "../../../operations/seal-and-stamp.ts";

export function defineSeal(command: Command, context: CommandContext): void {
  command
    .option("--now", "also close what has come in today, as a checkpoint on demand")
    .option("--clock <time>", "time to seal at; not for production ledgers")
    .option("--json", "print the result as JSON")
    .action(async (options: SealOptions & { readonly json?: boolean }) => {
      const { sealed, externalProof } = await sealAndStamp(context, options);
      const { seals, checkpoint } = sealed;
      printResult(context, options.json, {
        seals: seals.length,
        rows_sealed: seals.reduce((sum, seal) => sum + seal.leaf_count, 0),
        tree_size: checkpoint?.size ?? null,
        root: checkpoint?.root ?? null,
        external_proof: externalProof,
      });
    });
}
