import type { Command } from "@commander-js/extra-typings";
import type { CommandContext } from "../../../operations/context.ts";
import type { RecordMove } from "../../../review/request.ts";
import { takeOne, withDecider } from "../../desk.ts";

const MOVES: readonly (readonly [RecordMove, string])[] = [
  ["claim", "record that the business's operator has claimed the record"],
  ["verify", "record that the claim was verified"],
  ["dissolve", "record that the business has closed"],
  ["reopen", "undo the dissolution: the record gets its earlier status back"],
];

export function define(record: Command, context: CommandContext): void {
  for (const [action, description] of MOVES)
    withDecider(record.command(`${action} <public-id>`).description(description)).action((subject, options) =>
      takeOne(context, { action, subject }, options),
    );
}
