/**
 * The rule against a clock that runs ahead. Rows are never dated before the row above them, so one row from a wrong future would
 * close the ledger until that day.
 */

import { existsSync, rmSync, statSync } from "node:fs";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { type Fetch, guardedFetch } from "../kernel/public-fetch.ts";
import { readNightlyStatus } from "../kernel/status-files.ts";
import { DAY_MS, HOUR_MS, isoDate, isoTime } from "../kernel/time.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { type CommandContext, existingState, homeOf, openWriter, parseInstant } from "./context.ts";

/** A time from outside this machine. */
export interface ReferenceTime {
  readonly at: number; // ms
  readonly from: string; // host
}

/** A time that the service wrote down earlier. */
export interface KnownTime {
  readonly at: number; // ms
  readonly what: string; // completes "7 days after …"
}

export interface ClockFacts {
  readonly now: number; // ms
  /** Undefined when none is configured, or none answers. */
  readonly reference: ReferenceTime | undefined;
  /** Asked only without a reference. Undefined for a ledger without rows, which no clock can be ahead of. */
  readonly newest: () => Promise<KnownTime | undefined>;
  /** `--accept-clock`. */
  readonly accepted: string | undefined;
}

const AHEAD_OF_REFERENCE_MS = HOUR_MS;
const AHEAD_OF_KNOWN_MS = 7 * DAY_MS;

/**
 * Throws OperatorError when the clock is more than an hour ahead of the reference time or, without one, more than 7 days ahead of
 * the newest known time, unless `accepted` is the clock's own UTC date. An accepted date that is another day's always fails.
 */
export async function assertClockNotAhead(facts: ClockFacts): Promise<void> {
  const { now, accepted } = facts;
  const today = isoDate(now);
  if (accepted === today) return;
  if (accepted !== undefined)
    throw new OperatorError(`--accept-clock must be the date of the clock, ${today} (got ${accepted})`);
  const problem = await lead(facts);
  if (problem === undefined) return;
  throw new OperatorError(
    `the clock says ${isoTime(now)}, which is ${problem}. Nothing was written, because rows with a wrong later date would close the ledger until then. ` +
      `Correct the clock (timedatectl); if it is right, add --accept-clock ${today}`,
  );
}

async function lead({ now, reference, newest }: ClockFacts): Promise<string | undefined> {
  if (reference !== undefined)
    return now - reference.at > AHEAD_OF_REFERENCE_MS
      ? `more than an hour ahead of ${reference.from} (${isoTime(reference.at)})`
      : undefined;
  const known = await newest();
  return known !== undefined && now - known.at > AHEAD_OF_KNOWN_MS
    ? `more than 7 days after ${known.what} (${isoTime(known.at)})`
    : undefined;
}

/**
 * The newest time that ledger, last night or state know. Undefined when the ledger has no row, or cannot be read, which the
 * command itself reports.
 */
export async function newestKnownTime(context: CommandContext): Promise<KnownTime | undefined> {
  const last = lastRowTime(context);
  if (last === undefined) return undefined;
  const known = [last, fileTime(context), nightTime(context), await stateTime(context)];
  return known
    .filter((time) => time !== undefined)
    .reduce((newest, time) => (time.at > newest.at ? time : newest));
}

function lastRowTime(context: CommandContext): KnownTime | undefined {
  const { ledger } = homeOf(context);
  if (!existsSync(ledger)) return undefined;
  try {
    using reader = openLedgerReader(ledger);
    const at = reader.head().latestAcceptedAt;
    return at === null ? undefined : { at, what: "the last row of the ledger" };
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

/** A demonstration's rows may be months old, but its file is as old as its last command. */
function fileTime(context: CommandContext): KnownTime {
  return { at: statSync(homeOf(context).ledger).mtimeMs, what: "the last change of the ledger's file" };
}

function nightTime(context: CommandContext): KnownTime | undefined {
  const night = readNightlyStatus(homeOf(context).nightly);
  const end = night?.finished_at ?? night?.started_at;
  return end === undefined ? undefined : { at: Date.parse(end), what: "the last night" };
}

/** A state that cannot be opened knows nothing: commands that need none go on without it. */
async function stateTime(context: CommandContext): Promise<KnownTime | undefined> {
  try {
    await using state = await existingState(context);
    const at = await state?.newestTime();
    return at === undefined ? undefined : { at, what: "the newest entry of the state" };
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

interface ReferenceDeps {
  readonly config: Pick<Config, "timestampAuthority" | "timeUrl">;
  readonly random: RandomBytes;
  readonly fetch: Fetch;
}

const TIMEOUT_MS = 5000;
/** RFC 9110, 5.6.7: the one form that servers send. Anything else could be read in the machine's own time zone. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Asks the authority, then TIME_URL. Undefined when neither is configured, or neither answers in a usable form. */
export async function referenceTime({
  config,
  random,
  fetch,
}: ReferenceDeps): Promise<ReferenceTime | undefined> {
  const { timestampAuthority: authority, timeUrl } = config;
  const signed = authority && (await answered(authority.url, () => signedTime(authority, random)));
  if (signed !== undefined || timeUrl === undefined) return signed;
  return answered(timeUrl, () => httpTime(timeUrl, fetch));
}

/** A source that fails in any way says nothing; the rule without a reference holds then. */
async function answered(
  url: string,
  ask: () => Promise<number | undefined>,
): Promise<ReferenceTime | undefined> {
  try {
    const at = await ask();
    return at === undefined || Number.isNaN(at) ? undefined : { at, from: new URL(url).host };
  } catch {
    return undefined;
  }
}

/** The modules of timestamps are loaded for those who have an authority. */
async function signedTime(
  authority: NonNullable<Config["timestampAuthority"]>,
  random: RandomBytes,
): Promise<number> {
  const { authorityTime } = await import("./timestamps.ts");
  return authorityTime(authority, { random, timeoutMs: TIMEOUT_MS });
}

async function httpTime(url: string, fetch: Fetch): Promise<number | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { method: "HEAD", redirect: "manual", signal });
  await answer.body?.cancel();
  const date = answer.headers.get("date") ?? "";
  return HTTP_DATE.test(date) ? Date.parse(date) : undefined;
}

/** Asks TIME_URL. The guard is made with the first request: the commands of a service without TIME_URL never load it. */
export const fetchSecurely: Fetch = (url, init) => guardedFetch(httpsOnly)(url, init);

/** Only TLS vouches for the Date header. */
function httpsOnly({ protocol }: URL): string | undefined {
  return protocol === "https:" ? undefined : "must begin with https://";
}

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
