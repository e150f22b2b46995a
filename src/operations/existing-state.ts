import { existsSync } from "node:fs";
import { OperatorError } from "../kernel/errors.ts";
import type { State } from "../state/open-state.ts";
import { type CommandContext, homeOf } from "./context.ts";

/** Opens the state, and creates it if there is none. Its modules are half of a small command's, and most commands find no state. */
export async function stateOf(context: CommandContext): Promise<State> {
  const { openState } = await import("../state/open-state.ts");
  const { config, clock, random } = context;
  return openState(config.stateUrl, homeOf(context), { clock, random });
}

/** The state, if there is one: a service without subscribers and partners needs none. */
export async function existingState(context: CommandContext): Promise<State | undefined> {
  const hasState = context.config.stateUrl !== undefined || existsSync(homeOf(context).state);
  return hasState ? stateOf(context) : undefined;
}

/** Throws OperatorError when there is none. */
export async function requiredState(context: CommandContext): Promise<State> {
  const state = await existingState(context);
  if (state !== undefined) return state;
  throw new OperatorError(
    `${homeOf(context).state}: there is no state yet: the first subscription or partner creates it, or set STATE_URL`,
  );
}
