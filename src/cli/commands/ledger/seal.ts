import type { Command } from "@commander-js/extra-typings";
import { type CommandContext, printResult } from "../../../operations/context.ts";
import { sealAndStamp } from "../../../operations/night/seal-and-stamp.ts";
import { takenFields } from "../../../operations/take-in.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

export function define(command: Command, context: CommandContext): void {
  command
    .option("--now", "also take in today's lines and seal today's rows")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ json, ...options }) => {
      const { taken, lookRows, sealed, externalProof } = await sealAndStamp(context, options);
      const { seals, checkpoint } = sealed;
      printResult(context, json, {
        ...takenFields(taken),
        look_rows: lookRows,
        seals: seals.length,
        rows_sealed: seals.reduce((sum, seal) => sum + seal.leaf_count, 0),
        tree_size: checkpoint?.size ?? null,
        root: checkpoint?.root ?? null,
        external_proof: externalProof,
      });
    });
}
