/** What the service is used for: counts of requests, and demand for cities that it does not have. */

import { createReadStream, fstatSync, mkdirSync } from "node:fs";
import { internalNetworks, type Known, placesOf } from "../../activity/seen-request.ts";
import { ACTIVITY_WINDOW_DAYS, DEMAND } from "../../contract/limits.ts";
import { ignoredText } from "../../intake/lines/read-lines.ts";
import { loadGazetteer } from "../../intake/places/gazetteer.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { assertFilesExist, openRegular } from "../../kernel/files/foreign-file.ts";
import type { Home } from "../../kernel/home.ts";
import { DAY_MS, isoDate, utcDayStart } from "../../kernel/time.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { type ImportSummary, importLog } from "../../operations/access-log.ts";
import { homeOf, stateOf } from "../../operations/context.ts";
import { ReleaseStore } from "../../resources/release-store.ts";
import type { Usage } from "../../state/usage/usage.ts";
import type { ActivityReport, DemandCounts } from "../../state/usage/usage-reports.ts";
import { type Bare, type Call, command } from "../command.ts";
import { whole } from "../options.ts";
import { noted, Output, shown } from "../output.ts";

const MAX_DAYS = 3660;
const READ_BYTES = 1 << 20;

const importLogs = command({
  path: "activity import",
  does: "count requests that the front server answered itself, from its log (nginx JSON or combined, also .gz); already counted requests are skipped",
  takes: (bare: Bare) => bare.argument("<log...>"),
  access: "none",
  json: "print a summary per file as JSON",
  run: (call, _, files) => importFiles(call, files),
});

async function* importFiles(call: Call<"none">, files: readonly string[]): AsyncGenerator<Output> {
  const { context } = call;
  assertFilesExist(files);
  const home = homeOf(context);
  mkdirSync(home.night, { recursive: true });
  // Two imports at once could both count the same part of a growing file.
  using _lock = acquireLock(`${home.night}/activity-import.lock`, "importing access logs");
  const releases = new ReleaseStore(home);
  try {
    releases.refresh();
    const known = {
      isInternal: internalNetworks(context.config.internalAddresses),
      places: placesOf(() => releases.current?.context.snapshot),
    };
    await using state = await stateOf(context);
    for (const file of files) {
      const { damage, ignoredBytes, ...summary } = await importFile(call, file, state.usage, known);
      const ignored = ignoredBytes > 0 ? [`${file}: ${ignoredText({ ignoredBytes })}`] : [];
      yield noted({ file, ...summary }, ...ignored);
      if (damage !== undefined)
        throw new OperatorError(
          `${file}: the file is truncated or damaged (${damage}): import a complete copy; the requests counted so far stay counted`,
        );
    }
  } finally {
    releases.close();
  }
}

function importFile(
  { context, progress }: Call<"none">,
  file: string,
  usage: Usage,
  known: Known,
): Promise<ImportSummary> {
  const log = openRegular(file); // the front server's user owns it; the stream closes it
  const { size } = fstatSync(log);
  return progress(file, (update) =>
    importLog({
      source: createReadStream("", { fd: log, highWaterMark: READ_BYTES }),
      usage,
      known,
      now: context.clock(),
      onCommit: (bytesRead) => update(bytesRead, size),
    }),
  );
}

const showActivity = command({
  path: "activity show",
  does: "show the counts of the last UTC days, today included",
  takes: (bare: Bare) =>
    bare.option("--days <days>", "number of days", whole("--days"), ACTIVITY_WINDOW_DAYS),
  access: "state",
  async run({ context, state }, { days }) {
    const tomorrow = utcDayStart(context.clock()) + DAY_MS;
    const report = await state.usage.report(tomorrow, Math.min(MAX_DAYS, days));
    const measured_since = (await state.usage.countedSince()) ?? null;
    return { measured_since, ...reportFields(report) };
  },
});

function reportFields(report: ActivityReport): Record<string, unknown> {
  const { counts } = report;
  return {
    from: isoDate(report.windowStart),
    to: isoDate(report.windowEnd - DAY_MS),
    ...shown(counts, "externalRequests", "internalRequests"),
    ...shown(report, "previousExternalRequests", "latestExternalRequestAt"),
    ...shown(counts, "dailyClientInstances", "recurringClients", "transport", "clientClass"),
    response_status: counts.status,
    timeouts: counts.timedOut,
    ...shown(counts, "schemaFailures", "rateLimited"),
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

const showDemand = command({
  path: "demand",
  does: `list the cities of the catalog outside the service that ${DEMAND.minClients} clients or more searched in, most clients first. Clients are told apart only within a UTC day and are summed over the days. Demand is no evidence about a city.`,
  takes: (bare: Bare) =>
    bare.option("--days <days>", "number of UTC days, today included", whole("--days"), DEMAND.windowDays),
  access: "state",
  async run({ context, state }, { days }) {
    const count = Math.min(MAX_DAYS, days);
    const tomorrow = utcDayStart(context.clock()) + DAY_MS;
    const { outside } = await state.usage.demand(tomorrow, count);
    const cities = namedDemand(homeOf(context), outside);
    const fields = {
      from: isoDate(tomorrow - count * DAY_MS),
      to: isoDate(tomorrow - DAY_MS),
      counted_since: (await state.usage.countedSince("counted")) ?? null,
      min_clients: DEMAND.minClients,
    };
    const texts = Object.fromEntries(cities.map((city) => [cityLabel(city), demandText(city)]));
    return new Output({ json: { ...fields, cities }, text: { ...fields, cities: texts } });
  },
});

type NamedDemand = ReturnType<typeof namedDemand>[number];

/** Cities with enough clients, by clients, then searches, without those that the service covers by now. */
function namedDemand(home: Home, outside: DemandCounts["outside"]) {
  const covered = coveredCities(home);
  const wanted = new Map(
    outside
      .filter(({ dailyClients, geonameId }) => dailyClients >= DEMAND.minClients && !covered.has(geonameId))
      .map((city) => [city.geonameId, city]),
  );
  if (wanted.size === 0) return [];
  return loadGazetteer(home.gazetteer)
    .flatMap(({ geonameId, name, region, countryCode }) => {
      const demand = wanted.get(geonameId);
      if (demand === undefined) return [];
      const { searches, dailyClients } = demand;
      return [
        { geoname_id: geonameId, name, region, country: countryCode, searches, daily_clients: dailyClients },
      ];
    })
    .sort(
      (a, b) => b.daily_clients - a.daily_clients || b.searches - a.searches || a.geoname_id - b.geoname_id,
    );
}

/** Cities of the current release, by GeoNames id. */
function coveredCities(home: Home): ReadonlyMap<number, string> {
  const releases = new ReleaseStore(home);
  try {
    releases.refresh();
    return releases.current?.context.snapshot.coveredGeonames() ?? new Map();
  } finally {
    releases.close();
  }
}

function cityLabel({ name, region, country, geoname_id }: NamedDemand): string {
  return `${[name, region, country].filter(Boolean).join(", ")} (GeoNames ${geoname_id})`;
}

function demandText({ searches, daily_clients }: NamedDemand): string {
  return `${searches} searches by ${daily_clients} clients`;
}

export const commands = [importLogs, showActivity, showDemand];
