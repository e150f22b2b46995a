import { rmSync } from "node:fs";
import { OperatorError } from "../../kernel/errors.ts";
import { isoDate } from "../../kernel/time.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter, parseInstant } from "../context.ts";
import { assertClockNotAhead } from "./forward-clock.ts";
import { newestKnownTime } from "./known-times.ts";
import { fetchSecurely, referenceTime } from "./reference-time.ts";

export interface CorrectionOptions {
  readonly from: string; // UTC date of the last row, as typed in
  readonly clock: string | undefined; // as `--clock`
}

export interface Correction {
  readonly row: number;
  readonly from: string; // UTC date
  readonly to: string; // UTC date
}

/**
 * Leads a ledger whose last row lies in the future back to the clock, by a row that says so, and forgets the last night, whose
 * time is from that future too. Throws OperatorError when `from` is not the date of the last row, or nothing is to correct.
 */
export function correctClock(context: CommandContext, { from, clock }: CorrectionOptions): Correction {
  using writer = openWriter(context, clock);
  assertLastDay(writer, from);
  const { id, body } = writer.correctClock();
  rmSync(homeOf(context).nightly, { force: true });
  return { row: id, ...body };
}

function assertLastDay(writer: LedgerWriter, from: string): void {
  const day = isoDate(writer.lastAcceptedAt);
  if (day !== from)
    throw new OperatorError(
      `--from must be the date of the last row, ${day} (got ${from}): nothing was written`,
    );
}

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
