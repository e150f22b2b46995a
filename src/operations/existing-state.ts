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

/**
 * What a release says of the state; undefined without one. A state that cannot be read holds up no release, because one may be waited for to take
 * a record away: the release then goes without, and stderr says why.
 */
export async function readForRelease<T>(
  context: CommandContext,
  what: string,
  read: (state: State) => Promise<T>,
): Promise<T | undefined> {
  try {
    await using state = await existingState(context);
    return state && (await read(state));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    context.stderr.write(`${what} left out of the release: ${error.message}\n`);
    return undefined;
  }
}

/** Throws OperatorError when there is none. */
export async function requiredState(context: CommandContext): Promise<State> {
  const state = await existingState(context);
  if (state !== undefined) return state;
  throw new OperatorError(
    `${homeOf(context).state}: there is no state yet: the first subscription or partner makes it, or set STATE_URL`,
  );
}
