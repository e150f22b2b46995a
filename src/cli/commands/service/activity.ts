import { createReadStream, fstatSync, mkdirSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { placesOf } from "../../../activity/known-places.ts";
import { internalNetworks, type Known } from "../../../activity/seen-request.ts";
import { withProgress } from "../../../build/progress.ts";
import { ACTIVITY_WINDOW_DAYS } from "../../../contract/limits.ts";
import { ignoredText } from "../../../intake/lines/read-lines.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { assertFilesExist, openRegular } from "../../../kernel/files/named-file.ts";
import { DAY_MS, isoDate, isoTime, utcDayStart } from "../../../kernel/time.ts";
import { acquireLock } from "../../../ledger/database/lock.ts";
import { type ImportSummary, importLog } from "../../../operations/access-log/import-log.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { requiredState, stateOf } from "../../../operations/existing-state.ts";
import { ReleaseStore } from "../../../resources/release-store.ts";
import type { ActivityReport } from "../../../state/usage/activity-report.ts";
import type { Usage } from "../../../state/usage/usage.ts";
import { JSON_OPTION, whole } from "../../command.ts";

const MAX_DAYS = 3660;
const READ_BYTES = 1 << 20;

export function define(activity: Command, context: CommandContext): void {
  activity
    .command("import <log...>")
    .description(
      "count requests that the front server answered itself, from its log: nginx JSON or combined, .gz as well; requests that were counted before are skipped",
    )
    .option("--json", "print a summary per file as JSON")
    .action((files, { json }) => importFiles(context, files, json));
  activity
    .command("show")
    .description("show the counts of the last UTC days, today included")
    .option("--days <days>", "number of days", whole("--days"), ACTIVITY_WINDOW_DAYS)
    .option(...JSON_OPTION)
    .action(async ({ days, json }) => {
      await using state = await requiredState(context);
      const report = await state.usage.report(
        utcDayStart(context.clock()) + DAY_MS,
        Math.min(MAX_DAYS, days),
      );
      const measured_since = (await state.usage.measuredSince()) ?? null;
      printResult(context, json, { measured_since, ...reportFields(report) });
    });
}

async function importFiles(
  context: CommandContext,
  files: readonly string[],
  json: boolean | undefined,
): Promise<void> {
  assertFilesExist(files);
  const home = homeOf(context);
  mkdirSync(home.night, { recursive: true });
  // Two imports at once could both count the same part of a growing file.
  const lock = acquireLock(`${home.night}/activity-import.lock`, "importing access logs");
  const releases = new ReleaseStore(home);
  try {
    releases.refresh();
    const known = {
      isInternal: internalNetworks(context.config.internalAddresses),
      places: placesOf(() => releases.current?.context.snapshot),
    };
    await using state = await stateOf(context);
    for (const file of files) {
      const { damage, ignoredBytes, ...summary } = await importFile(context, file, state.usage, known);
      printResult(context, json, { file, ...summary });
      if (ignoredBytes > 0) context.stderr.write(`${file}: ${ignoredText({ ignoredBytes })}\n`);
      if (damage !== undefined)
        throw new OperatorError(
          `${file}: the file is truncated or damaged (${damage}): import a complete copy; the requests counted so far stay counted`,
        );
    }
  } finally {
    releases.close();
    lock.release();
  }
}

function importFile(
  context: CommandContext,
  file: string,
  usage: Usage,
  known: Known,
): Promise<ImportSummary> {
  const log = openRegular(file); // the front server's user owns it; the stream closes it
  const { size } = fstatSync(log);
  return withProgress(context, file, (update) =>
    importLog({
      source: createReadStream("", { fd: log, highWaterMark: READ_BYTES }),
      usage,
      known,
      now: context.clock(),
      onCommit: (bytesRead) => update(bytesRead, size),
    }),
  );
}

function reportFields(report: ActivityReport): Record<string, unknown> {
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
