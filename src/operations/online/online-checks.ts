import { setTimeout as sleep } from "node:timers/promises";
import { phoneKey } from "../../intake/lines/contact.ts";
import type { Config, SearchSettings } from "../../kernel/config/config.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { LockHeld } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { RecordToLookFor } from "../../ledger/rows/desk-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type CommandContext, homeOf, openWriter } from "../context.ts";
import {
  type OnlineProvider,
  type OnlineResult,
  type OnlineRunSummary,
  type OnlineSubject,
  plannedChecks,
  runOnlineChecks,
} from "./run-checks.ts";
import { BRAVE_SEARCH_URL, braveSearch, fileSearch, type SearchApi, searchProvider } from "./web-search.ts";
import { ROBOTS_TOKEN, WebReader, websiteProbe } from "./website-probe.ts";

export interface OnlineOptions {
  readonly budget: number; // records
  readonly progress?: (done: number, total: number) => void;
}

/** The records whose online checks are due. */
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
 * Looks up the records whose checks are due on the public web, and writes the results to the ledger's table of checks. Locks the ledger only for each
 * write, so that intake can continue. Throws OperatorError when the ledger cannot be written; earlier results stay.
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
    record: (results) => storeResults(context, results),
    ...(progress !== undefined && { progress }),
  });
}

const LOCK_TRIES = 30;

/** Drops results for records that were erased meanwhile. Waits for another writer, such as intake. */
async function storeResults(context: CommandContext, results: readonly OnlineResult[]): Promise<void> {
  using writer = await freeWriter(context);
  writer.transaction(() => {
    for (const result of results)
      if (writer.live.find(result.record)?.isLive) writer.appendOnlineCheck(result);
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
  return number === undefined ? undefined : { number, digits: phoneKey(number) };
}

const TIMEOUT_MS = 10 * SECOND_MS;
/** Between two requests to a host; the smallest plan of the search API allows one search a second. */
const PAUSE_MS = 1.1 * SECOND_MS;

/** The providers that the configuration enables. */
export function onlineProviders(config: Config): OnlineProvider[] {
  const { search, phones } = config.online;
  const userAgent = userAgentOf(config);
  const reader = new WebReader({ userAgent, timeoutMs: TIMEOUT_MS, pause, allowLoopback: false });
  const website = websiteProbe(reader);
  return search === undefined
    ? [website]
    : [website, searchProvider(searchApi(search, userAgent), { phones })];
}

function searchApi(search: SearchSettings, userAgent: string): SearchApi {
  if (search.kind === "file")
    return fileSearch(readNamedFile(search.path, "SEARCH_FILE"), `SEARCH_FILE ${search.path}`);
  return braveSearch({
    url: search.url ?? BRAVE_SEARCH_URL,
    key: search.key,
    userAgent,
    timeoutMs: TIMEOUT_MS,
    pause,
  });
}

/** Identifies the program, and where to complain about it. */
function userAgentOf({ baseUrl, securityContact }: Config): string {
  const contact = securityContact === undefined ? "" : `; ${securityContact}`;
  return `${ROBOTS_TOKEN}/1.0 (+${baseUrl}/methodology/${contact})`;
}

function pause(): Promise<void> {
  return sleep(PAUSE_MS);
}
