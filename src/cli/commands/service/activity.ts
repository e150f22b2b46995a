import { createReadStream, existsSync, mkdirSync, statSync } from "node:fs";
import type { Command } from "commander";
import { placesOf } from "../../../activity/known-places.ts";
import { internalNetworks, type Known } from "../../../activity/seen-request.ts";
import { progressBar } from "../../../build/progress.ts";
import { ACTIVITY_WINDOW_DAYS } from "../../../contract/limits.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { DAY_MS, isoDate, isoTime, utcDayStart } from "../../../kernel/time.ts";
import { acquireLock } from "../../../ledger/database/lock.ts";
import { type ImportSummary, importLog } from "../../../operations/access-log/import-log.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { requiredState } from "../../../operations/existing-state.ts";
import { ReleaseStore } from "../../../resources/release-store.ts";
import { openState } from "../../../state/open-state.ts";
import type { ActivityReport } from "../../../state/usage/activity-report.ts";
import type { Usage } from "../../../state/usage/usage.ts";
import { wholeNumber } from "../../whole-number.ts";

const MOST_DAYS = 3660;
const READ_BYTES = 1 << 20;

export function defineActivity(activity: Command, context: CommandContext): void {
  activity
    .command("import <log...>")
    .description(
      "count what the front server answered itself, from its log: nginx JSON or combined, .gz as well; what was counted before is not counted again",
    )
    .option("--json", "print a summary per file as JSON")
    .action((files: string[], options: { json?: boolean }) => importFiles(context, files, options.json));
  activity
    .command("show")
    .description("the counts of the last days (UTC), today included")
    .option("--days <days>", "how many", String(ACTIVITY_WINDOW_DAYS))
    .option("--json", "print them as JSON")
    .action((options: ShowOptions) => show(context, options));
}

async function importFiles(
  context: CommandContext,
  files: readonly string[],
  json: boolean | undefined,
): Promise<void> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new OperatorError(`${missing}: there is no such file`);
  const home = homeOf(context);
  mkdirSync(home.root, { recursive: true });
  // Two at once could take different parts of one growing file for new.
  const lock = acquireLock(`${home.root}/activity-import.lock`, "reading access logs in");
  const releases = new ReleaseStore(home);
  try {
    releases.refresh();
    const known = {
      isInternal: internalNetworks(context.config.internalAddresses),
      places: placesOf(() => releases.current?.context.snapshot),
    };
    await using state = await openState(context.config.stateUrl, home, { clock: context.clock });
    for (const file of files) {
      const { damage, ...summary } = await importFile(context, file, state.usage, known);
      printResult(context, json, { file, ...summary });
      if (damage !== undefined)
        throw new OperatorError(
          `${file}: the file is cut off or damaged (${damage}): get it whole and run it again; what was counted stays counted`,
        );
    }
  } finally {
    releases.close();
    lock.release();
  }
}

async function importFile(
  context: CommandContext,
  file: string,
  usage: Usage,
  known: Known,
): Promise<ImportSummary> {
  const bar = progressBar(context.stderr, file);
  const size = statSync(file).size;
  try {
    return await importLog({
      source: createReadStream(file, { highWaterMark: READ_BYTES }),
      usage,
      known,
      now: context.clock(),
      onCommit: (bytesRead) => bar.update(bytesRead, size),
    });
  } finally {
    bar.done();
  }
}

interface ShowOptions {
  readonly days: string;
  readonly json?: boolean;
}

async function show(context: CommandContext, options: ShowOptions): Promise<void> {
  const days = Math.min(MOST_DAYS, wholeNumber(options.days, "--days"));
  await using state = await requiredState(context);
  const report = await state.usage.report(utcDayStart(context.clock()) + DAY_MS, days);
  printResult(context, options.json, {
    measured_since: (await state.usage.measuredSince()) ?? null,
    ...shown(report),
  });
}

/** Today is among the days, as far as it has come. */
function shown(report: ActivityReport): Record<string, unknown> {
  const { counts } = report;
  return {
    from: isoDate(report.windowStart),
    to: isoDate(report.windowEnd - DAY_MS),
    external_requests: counts.externalRequests,
    internal_requests: counts.internalRequests,
    previous_external_requests: report.previousExternalRequests,
    latest_external_request_at:
      report.latestExternalRequestAt === null ? null : isoTime(report.latestExternalRequestAt),
    daily_client_instances: counts.dailyClientInstances,
    recurring_clients: counts.recurringClients,
    transport: counts.transport,
    client_class: counts.clientClass,
    response_status: counts.status,
    timeouts: counts.timedOut,
    schema_failures: counts.schemaFailures,
    rate_limited: counts.rateLimited,
    top_endpoints: ranking(report.topEndpoints),
    top_mcp_tools: ranking(report.topTools),
    top_crawlers: ranking(report.topCrawlers),
    top_cities: ranking(report.topCities),
    top_records: ranking(report.topRecords),
  };
}

function ranking(ranked: ActivityReport["topCities"]): Record<string, number> {
  return Object.fromEntries(ranked.map(({ value, requests }) => [value, requests]));
}
