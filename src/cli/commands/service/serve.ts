import type { Command } from "@commander-js/extra-typings";
import type { CommandContext } from "../../../operations/context.ts";
import { NO_DELIVER_OPTION, serve } from "../../serve.ts";

export function define(command: Command, context: CommandContext): void {
  command.option(...NO_DELIVER_OPTION).action(({ deliver }) => serve(context, deliver));
}
