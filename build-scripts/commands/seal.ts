import type { Command } from "commander";
import { type CommandContext, openWriter, printResult } from "../context.ts";

interface SealOptions {
  readonly now?: boolean;
  readonly clock?: string;
  readonly json?: boolean;
}

export function addSealCommand(program: Command, context: CommandContext): void {
  program
    .command("seal")
    .description("close finished UTC days into signed checkpoints")
    .option("--now", "also close what has come in today, as a checkpoint on demand")
    .option("--clock <time>", "time to seal at; not for production ledgers")
    .option("--json", "print the result as JSON")
    .action((options: SealOptions) => {
      using writer = openWriter(context, options.clock);
      const { seals, checkpoint } = writer.seal({ now: options.now === true });
      printResult(context, options.json, {
        seals: seals.length,
        rows_sealed: seals.reduce((sum, seal) => sum + seal.leaf_count, 0),
        tree_size: checkpoint?.size ?? null,
        root: checkpoint?.root ?? null,
      });
    });
}
