import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { phoneKey } from "../intake/lines/contact.ts";
import { LineFault } from "../intake/lines/fault.ts";
import type { Config } from "../kernel/config.ts";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { LockHeld } from "../ledger/database/lock.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { LiveRows } from "../ledger/rows/live-rows.ts";
import type { RecordToLookFor } from "../ledger/rows/records-to-look-for.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { BRAVE_SEARCH_URL, braveSearch } from "../online/brave-search.ts";
import { fileSearch } from "../online/file-search.ts";
import type { OnlineProvider, OnlineSubject } from "../online/provider.ts";
import {
  type OnlineResult,
  type OnlineRunSummary,
  plannedChecks,
  runOnlineChecks,
} from "../online/run-checks.ts";
import type { SearchApi } from "../online/search-api.ts";
import { searchProvider } from "../online/search-provider.ts";
import { WebReader } from "../online/web-reader.ts";
import { ROBOTS_TOKEN, websiteProbe } from "../online/website-probe.ts";
import { type CommandContext, homeOf, openWriter } from "./context.ts";

const TIMEOUT_MS = 10 * SECOND_MS;
/** Between two requests to a host; the search API's smallest plan allows one search a second. */
const PAUSE_MS = 1.1 * SECOND_MS;

export interface OnlineOptions {
  readonly budget: number; // records
  readonly progress?: (done: number, total: number) => void;
}

/** The records that online checks would be made for now. */
export function plannedOnlineChecks(context: CommandContext, budget: number): OnlineSubject[] {
  using reader = openLedgerReader(homeOf(context).ledger);
  return plannedChecks({
    subjects: subjects(reader.recordsToLookFor()),
    providers: onlineProviders(context.config),
    clock: context.clock,
    budget,
  });
}

/**
 * Looks for the records whose turn it is on the public web, and writes the results into the ledger's table of checks. The ledger is locked only
 * while some are written, so that intake goes on. Throws OperatorError when it cannot be written; what was written before stays.
 */
export function nightlyOnlineChecks(
  context: CommandContext,
  { budget, progress }: OnlineOptions,
): Promise<OnlineRunSummary> {
  return runOnlineChecks({
    subjects: plannedOnlineChecks(context, budget),
    providers: onlineProviders(context.config),
    budget,
    clock: context.clock,
    record: (results) => keep(context, results),
    ...(progress !== undefined && { progress }),
  });
}

const LOCK_TRIES = 30;

/** What was erased while it was looked for is not kept. A writer that is at work, such as intake, is waited for. */
async function keep(context: CommandContext, results: readonly OnlineResult[]): Promise<void> {
  using writer = await freeWriter(context);
  const live = new LiveRows(writer.index);
  writer.transaction(() => {
    for (const result of results) if (live.find(result.record)?.isLive) writer.appendOnlineCheck(result);
  });
}

async function freeWriter(context: CommandContext): Promise<LedgerWriter> {
  for (let tries = 1; ; tries += 1) {
    try {
      return openWriter(context);
    } catch (error) {
      if (!(error instanceof LockHeld) || tries === LOCK_TRIES) throw error;
      await sleep(SECOND_MS);
    }
  }
}

function* subjects(records: Iterable<RecordToLookFor>): Generator<OnlineSubject> {
  for (const { phone, ...record } of records) yield { ...record, phone: comparablePhone(phone) };
}

function comparablePhone(number: string | undefined): OnlineSubject["phone"] {
  if (number === undefined) return undefined;
  try {
    return { number, digits: phoneKey(number) };
  } catch (error) {
    if (error instanceof LineFault) return undefined; // of an older program
    throw error;
  }
}

function onlineProviders(config: Config): OnlineProvider[] {
  const { search, phones } = config.online;
  const userAgent = userAgentOf(config);
  const reader = new WebReader({ userAgent, timeoutMs: TIMEOUT_MS, pause, allowLoopback: false });
  const website = websiteProbe(reader);
  return search === undefined
    ? [website]
    : [website, searchProvider(searchApi(config, userAgent), { phones })];
}

function searchApi({ online: { search } }: Config, userAgent: string): SearchApi {
  if (search?.kind === "file") return fileSearch(readAnswers(search.path), `SEARCH_FILE ${search.path}`);
  return braveSearch({
    url: search?.url ?? BRAVE_SEARCH_URL,
    key: search?.key ?? "",
    userAgent,
    timeoutMs: TIMEOUT_MS,
    pause,
  });
}

/** Who asks, and where to complain. */
function userAgentOf({ baseUrl, securityContact }: Config): string {
  const contact = securityContact === undefined ? "" : `; ${securityContact}`;
  return `${ROBOTS_TOKEN}/1.0 (+${baseUrl}/methodology/${contact})`;
}

function readAnswers(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    throw new OperatorError(`SEARCH_FILE ${path}: there is no such file`, { cause: error });
  }
}

function pause(): Promise<void> {
  return sleep(PAUSE_MS);
}
