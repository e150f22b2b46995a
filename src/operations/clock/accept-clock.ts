import { type CommandContext, parseInstant } from "../context.ts";
import { assertClockNotAhead } from "./forward-clock.ts";
import { newestKnownTime } from "./known-times.ts";
import { fetchSecurely, referenceTime } from "./reference-time.ts";

export interface ClockOptions {
  readonly clock?: string | undefined; // `--clock`
  readonly acceptClock?: string | undefined; // `--accept-clock`
}

/**
 * Checks the clock before a command writes rows (see `assertClockNotAhead`), with at most one question to each source. A time
 * that `--clock` sets is compared with the known times only. Throws OperatorError.
 */
export async function acceptClock(
  context: CommandContext,
  { clock, acceptClock: accepted }: ClockOptions,
): Promise<void> {
  const now = clock === undefined ? context.clock() : parseInstant(clock, "--clock");
  const { config, random } = context;
  const isAccepted = accepted !== undefined;
  const reference =
    clock === undefined && !isAccepted
      ? await referenceTime({ config, random, fetch: fetchSecurely })
      : undefined;
  await assertClockNotAhead({ now, reference, newest: () => newestKnownTime(context), accepted });
}
