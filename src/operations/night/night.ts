import { OperatorError } from "../../kernel/errors.ts";
import { type NightlyStatus, readNightlyStatus, writeNightlyStatus } from "../../kernel/nightly-status.ts";
import { CLOCK_TOLERANCE_MS, isoTime } from "../../kernel/time.ts";
import { acquireLock, type Lock, LockHeld } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { type CommandContext, clockFor, homeOf } from "../context.ts";
import { noteSizes } from "../disk-sizes.ts";
import { ExitError, failureText } from "../failure-text.ts";
import { EXIT, runSteps } from "./run-steps.ts";
import type { SealOptions } from "./seal-and-stamp.ts";
import { nightSteps } from "./steps.ts";

/**
 * Seals, checks, builds, publishes and delivers, one night at a time. Continues an interrupted night. Throws OperatorError when there is no ledger or
 * the clock was set back, ExitError when another night is running; nothing is done then.
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
    rememberSizes(context);
    lock.release();
  }
}

/** A disk that is full already fails no night here. */
function rememberSizes(context: CommandContext): void {
  try {
    noteSizes(homeOf(context), context.clock());
  } catch (error) {
    context.stderr.write(`nightly    sizes are not noted: ${failureText(error)}\n`);
  }
}

function lockNight(context: CommandContext): Lock {
  const home = homeOf(context);
  try {
    return acquireLock(`${home.night}/nightly.lock`, "running the night");
  } catch (cause) {
    if (!(cause instanceof LockHeld)) throw cause;
    const since = readNightlyStatus(home.nightly)?.started_at ?? "just now";
    throw new ExitError(
      EXIT.busy,
      `another night is running (pid ${cause.pid}, since ${since}): nothing was done; see ${home.nightly}`,
      { cause },
    );
  }
}

/** Refuses a time before the last row or the last night, at which seals and releases would get a false date. */
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
        `clock set back: it says ${isoTime(now)}, but ${what} at ${isoTime(at)}: correct the clock and run again`,
      );
}

function lastEnd(path: string): number | null {
  const end = readNightlyStatus(path)?.finished_at;
  return end === undefined || end === null ? null : Date.parse(end);
}
