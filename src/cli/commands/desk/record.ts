import type { Command } from "commander";
import type { CommandContext } from "../../../operations/context.ts";
import type { RecordMove } from "../../../review/request.ts";
import { addDeciderOptions, type DeciderOptions, takeOne } from "./review-parts.ts";

const MOVES: readonly (readonly [RecordMove, string])[] = [
  ["claim", "say that whoever runs the business has claimed the record"],
  ["verify", "say that the claim was checked"],
  ["dissolve", "say that the business has ended"],
  ["reopen", "say that it goes on: the record is what it was before it was dissolved"],
];

export function defineRecord(record: Command, context: CommandContext): void {
  for (const [move, description] of MOVES) {
    const command = record.command(`${move} <public-id>`).description(description);
    addDeciderOptions(command).action((subject: string) =>
      takeOne(context, { action: move, subject }, command.opts<DeciderOptions>()),
    );
  }
}
