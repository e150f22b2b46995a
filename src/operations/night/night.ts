import { OperatorError } from "../../kernel/errors.ts";
import { type NightlyStatus, readNightlyStatus, writeNightlyStatus } from "../../kernel/nightly-status.ts";
import { isoTime } from "../../kernel/time.ts";
import { acquireLock, type Lock, LockHeld } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { type CommandContext, clockFor, homeOf } from "../context.ts";
import { ExitError } from "../exit-error.ts";
import type { SealOptions } from "../seal-and-stamp.ts";
import { EXIT, runSteps } from "./run-steps.ts";
import { nightSteps } from "./steps.ts";

/** How far a clock may go back (NTP steps) before a night refuses to believe it. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Seals, checks, builds, publishes and delivers, one night at a time. A night that was cut off is taken up where it was. Throws
 * OperatorError when there is no ledger or the clock was set back, ExitError when another one runs; nothing is done then.
 */
export async function runNight(context: CommandContext, options: SealOptions): Promise<NightlyStatus> {
  const home = homeOf(context);
  refuseClockSetBack(context, options);
  const lock = lockNight(context);
  try {
    return await runSteps({
      steps: nightSteps(context, options),
      before: readNightlyStatus(home.nightly),
      clock: context.clock,
      pid: process.pid,
      save: (status) => writeNightlyStatus(home.nightly, status),
      say: (line) => context.stderr.write(`nightly    ${line}\n`),
    });
  } finally {
    lock.release();
  }
}

function lockNight(context: CommandContext): Lock {
  const home = homeOf(context);
  try {
    return acquireLock(`${home.root}/nightly.lock`, "running the night");
  } catch (cause) {
    if (!(cause instanceof LockHeld)) throw cause;
    const since = readNightlyStatus(home.nightly)?.started_at ?? "just now";
    throw new ExitError(
      EXIT.busy,
      `nightly runs already (pid ${cause.pid}, since ${since}): nothing was done; look at ${home.nightly}`,
      { cause },
    );
  }
}

/** A night at a time before the last row, or before the night before, would seal and publish under a false date. */
function refuseClockSetBack(context: CommandContext, options: SealOptions): void {
  const home = homeOf(context);
  using reader = openLedgerReader(home.ledger);
  const { environment } = reader.meta;
  const now = clockFor(context, environment, options.clock)();
  const earlier = [
    { what: `the last row of ${home.ledger} was accepted`, at: reader.head().latestAcceptedAt },
    { what: "the last night ended", at: options.clock === undefined ? lastEnd(home.nightly) : null },
  ];
  for (const { what, at } of earlier)
    if (at !== null && at - now > CLOCK_TOLERANCE_MS)
      throw new OperatorError(
        `clock set back: it says ${isoTime(now)}, but ${what} at ${isoTime(at)}: set the clock right and run again`,
      );
}

function lastEnd(path: string): number | null {
  const end = readNightlyStatus(path)?.finished_at;
  return end === undefined || end === null ? null : Date.parse(end);
}
