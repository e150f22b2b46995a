import { basename } from "node:path";
import { currentRelease } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import {
  type NightlyStatus,
  readNightlyStatus,
  SILENT_DAYS,
  type StepRecord,
  writeNightlyStatus,
} from "../../kernel/status-files.ts";
import { CLOCK_TOLERANCE_MS, isoTime } from "../../kernel/time.ts";
import { acquireLock, type Lock, LockHeld } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { type CommandContext, clockFor, existingState, homeOf } from "../context.ts";
import { matchPublished, sendDue } from "../delivery.ts";
import { refreshDeskView } from "../desk/desk-view.ts";
import { checkNextShare, keepCheckedShare, noteSizes } from "../disk-sizes.ts";
import { forgetErased } from "../erasure/unfinished.ts";
import { ExitError, failureText } from "../failure-text.ts";
import { countsOf, toldLines } from "../inbox/report.ts";
import { takeInbox } from "../inbox/take.ts";
import { openLateRelease, settleIncidents } from "../incidents.ts";
import { nightlyOnlineChecks } from "../online/online-checks.ts";
import { isOfThisProgram, isReleased, pruneOlder, pruningText, publishNext } from "../release.ts";
import { takenFields } from "../take-in.ts";
import { silentSourcesOf } from "../waiting-reports.ts";
import { EXIT, type NightStep, runSteps } from "./run-steps.ts";
import { type SealOptions, sealAndStamp } from "./seal-and-stamp.ts";

/** The steps of a night, in order. */
export function nightSteps(context: CommandContext, options: SealOptions): NightStep[] {
  return [
    inbox(context, options),
    seal(context, options),
    deskView(context),
    onlineChecks(context),
    build(context),
    prune(context),
    incidents(context),
    alerts(context),
    delivery(context),
    ledgerShare(context),
  ];
}

/** Takes what was delivered. Its lines are those of today: they become rows with the seal of this day. */
function inbox(context: CommandContext, { clock }: SealOptions): NightStep {
  return {
    name: "inbox",
    isEssential: false,
    async run() {
      const all = await takeInbox(context, { clock, waitMs: 0 });
      if (all.length === 0) return "nothing waits";
      for (const line of all.flatMap(toldLines)) context.stderr.write(`inbox      ${line}\n`);
      return countsOf(all);
    },
  };
}

function seal(context: CommandContext, options: SealOptions): NightStep {
  return {
    name: "seal",
    isEssential: true,
    async run() {
      const { taken, lookRows, sealed, externalProof } = await sealAndStamp(context, options);
      return {
        ...takenFields(taken),
        look_rows: lookRows,
        seals: sealed.seals.length,
        rows: sealed.rows,
        tree_size: sealed.checkpoint?.size ?? null,
        external_proof: externalProof,
        ...silence(context),
      };
    },
  };
}

/** The days without a line of each source that is silent, as facts of the night; the metrics read them there. */
function silence(context: CommandContext): StepRecord["facts"] {
  using reader = openLedgerReader(homeOf(context).ledger);
  const silent = silentSourcesOf(reader, { now: context.clock(), days: context.config.sourceSilentDays });
  return Object.fromEntries(silent.map(({ id, days }) => [`${SILENT_DAYS}${id}`, days]));
}

/** Behind the seal, which took lines in, and may have erased what leavers sent. */
function deskView(context: CommandContext): NightStep {
  return {
    name: "desk_view",
    isEssential: false,
    async run() {
      const view = await refreshDeskView(context);
      return view === undefined ? "no review desk is set up" : { items: view.queue.items.length };
    },
  };
}

function onlineChecks(context: CommandContext): NightStep {
  return {
    name: "online_checks",
    isEssential: false,
    stillDone: () => true, // a night has one budget
    async run() {
      const budget = context.config.online.checksPerNight;
      if (budget === 0) return "ONLINE_CHECKS_PER_NIGHT is 0";
      const { left, unavailable, ...counts } = await nightlyOnlineChecks(context, { budget });
      return { ...counts, left_for_later: left, unavailable: unavailable.join("; ") || null };
    },
  };
}

/** Builds a release and publishes it, or holds it. An interrupted night keeps its release if that is still up to date. */
function build(context: CommandContext): NightStep {
  return {
    name: "build",
    isEssential: true,
    stillDone: ({ release }) =>
      release === currentName(context) && isReleased(context) && isOfThisProgram(context),
    isHeld: (facts) => "held_because" in facts,
    async run() {
      openLateRelease(context);
      const { directory, releaseId, held, rows, records, cities } = await publishNext(context, {});
      const counts = { rows, records, cities };
      if (held === null) return { release: basename(directory), ...counts };
      return { release: releaseId, held_because: heldBecause(held.findings), ...counts };
    },
  };
}

/** Removes older releases. Where the system refuses that, the release is out all the same, and the alerts go on. */
function prune(context: CommandContext): NightStep {
  return {
    name: "prune",
    isEssential: false,
    async run() {
      const { removed, refused } = pruneOlder(context);
      if (refused.length > 0) throw new OperatorError(pruningText(refused));
      return { releases_removed: removed };
    },
  };
}

/** Ends the incident of a release that was late, and shows what was reported while the release was built. */
function incidents(context: CommandContext): NightStep {
  return {
    name: "incidents",
    isEssential: false,
    async run() {
      const { ended, patch } = await settleIncidents(context);
      return { late_releases: ended, patch_release: patch?.summary.releaseId ?? null };
    },
  };
}

/** Queues new events for subscribers and partners, and prunes the state. */
function alerts(context: CommandContext): NightStep {
  return {
    name: "alerts",
    isEssential: false,
    async run() {
      const directory = currentRelease(homeOf(context));
      await forgetErased(context);
      if (directory === undefined) return "there is no release";
      return (await matchPublished(context, directory)) ?? "there is no state";
    },
  };
}

function delivery(context: CommandContext): NightStep {
  return {
    name: "deliver",
    isEssential: false,
    async run() {
      await using state = await existingState(context);
      if (state === undefined) return "there is no state";
      if (context.config.delivery === "off") return "DELIVERY is off";
      return await sendDue(context, state); // before the state is closed
    },
  };
}

/** Last, because nothing waits for it: the build has proved every row that it publishes. */
function ledgerShare(context: CommandContext): NightStep {
  return {
    name: "ledger_check",
    isEssential: false,
    stillDone: () => true, // a night has one share
    async run() {
      const home = homeOf(context);
      using reader = openLedgerReader(home.ledger);
      const share = checkNextShare(reader, home);
      keepCheckedShare(home, share);
      return { rows_checked: share.checkedTo - share.after, checked_to: share.checkedTo };
    },
  };
}

function heldBecause(findings: readonly { readonly text: string }[]): string {
  return findings.map(({ text }) => text).join("; ") || "the operator holds releases";
}

function currentName(context: CommandContext): string | undefined {
  const directory = currentRelease(homeOf(context));
  return directory === undefined ? undefined : basename(directory);
}

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
