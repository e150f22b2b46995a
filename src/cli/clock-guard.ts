import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { z } from "zod";
import type { CommandContext } from "../operations/context.ts";
import { CLOCK_OPTION } from "./command.ts";

const ACCEPT_OPTION = [
  "--accept-clock <date>",
  "write although the clock is far ahead; the clock's own UTC date (2026-01-31)",
] as const;

const ClockOptions = z.looseObject({ clock: z.string().optional(), acceptClock: z.string().optional() });

/** Checks the clock before every command that writes rows; CLOCK_OPTION marks them. */
export function guardClock(command: CommandUnknownOpts, context: CommandContext): void {
  for (const inner of command.commands) guardClock(inner, context);
  if (!command.options.some(isClockOption)) return;
  command.option(...ACCEPT_OPTION).hook("preAction", async (_, action) => {
    const { acceptClock } = await import("../operations/clock/accept-clock.ts");
    await acceptClock(context, ClockOptions.parse(action.opts()));
  });
}

function isClockOption({
  flags,
  description,
}: {
  readonly flags: string;
  readonly description: string;
}): boolean {
  return flags === CLOCK_OPTION[0] && description === CLOCK_OPTION[1];
}
