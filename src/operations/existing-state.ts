import { existsSync } from "node:fs";
import { OperatorError } from "../kernel/errors.ts";
import { openState, type State } from "../state/open-state.ts";
import { type CommandContext, homeOf } from "./context.ts";

/** The state, if there is one: a service without subscribers and partners needs none, and none is made for it. */
export async function existingState(context: CommandContext): Promise<State | undefined> {
  const { config, clock, random } = context;
  const home = homeOf(context);
  if (config.stateUrl === undefined && !existsSync(home.state)) return undefined;
  return openState(config.stateUrl, home, { clock, random });
}

/** Throws OperatorError when there is none. */
export async function requiredState(context: CommandContext): Promise<State> {
  const state = await existingState(context);
  if (state !== undefined) return state;
  throw new OperatorError(
    `${homeOf(context).state}: there is no state yet: the first subscription or partner makes it, or set STATE_URL`,
  );
}
