import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { assertOwner, type NeededUser } from "../operations/acting-user.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";

interface GuardOptions {
  readonly need: NeededUser | undefined;
  readonly typed: readonly string[]; // the arguments of the command line
}

/** Before a command opens anything: whoever is not the owner of the home is refused. */
export function guardUser(
  command: CommandUnknownOpts,
  context: CommandContext,
  { need = "owner", typed }: GuardOptions,
): void {
  command.hook("preAction", () => assertOwner(context.user, { home: homeOf(context), need, command: typed }));
}
