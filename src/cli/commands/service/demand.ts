import type { Command } from "@commander-js/extra-typings";
import { DEMAND } from "../../../contract/limits.ts";
import { loadGazetteer } from "../../../intake/places/gazetteer.ts";
import type { Home } from "../../../kernel/home.ts";
import { DAY_MS, isoDate, utcDayStart } from "../../../kernel/time.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { requiredState } from "../../../operations/existing-state.ts";
import { ReleaseStore } from "../../../resources/release-store.ts";
import type { OutsideDemand } from "../../../state/usage/demand-counts.ts";
import { JSON_OPTION, whole } from "../../command.ts";

const MAX_DAYS = 3660;

export function define(demand: Command, context: CommandContext): void {
  demand
    .summary("list cities outside the service that people search in")
    .description(
      `list the cities of the catalog outside the service that ${DEMAND.minClients} clients or more searched in, most clients first. Clients are told apart only within a UTC day and are summed over the days. Demand is no evidence about a city.`,
    )
    .option("--days <days>", "number of UTC days, today included", whole("--days"), DEMAND.windowDays)
    .option(...JSON_OPTION)
    .action(async ({ days, json }) => {
      const count = Math.min(MAX_DAYS, days);
      const tomorrow = utcDayStart(context.clock()) + DAY_MS;
      await using state = await requiredState(context);
      const { outside } = await state.usage.demand(tomorrow, count);
      const cities = named(context, outside);
      printResult(context, json, {
        from: isoDate(tomorrow - count * DAY_MS),
        to: isoDate(tomorrow - DAY_MS),
        counted_since: (await state.usage.searchesCountedSince()) ?? null,
        min_clients: DEMAND.minClients,
        cities: json ? cities : Object.fromEntries(cities.map((city) => [label(city), demandText(city)])),
      });
    });
}

type NamedDemand = ReturnType<typeof named>[number];

/** Cities with enough clients, by clients, then searches, without those that the service covers by now. */
function named(context: CommandContext, outside: readonly OutsideDemand[]) {
  const home = homeOf(context);
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

function label({ name, region, country, geoname_id }: NamedDemand): string {
  return `${[name, region, country].filter(Boolean).join(", ")} (GeoNames ${geoname_id})`;
}

function demandText({ searches, daily_clients }: NamedDemand): string {
  return `${searches} searches by ${daily_clients} clients`;
}
