import type { Command } from "commander";
import { DEMAND } from "../../../contract/limits.ts";
import { loadGazetteer } from "../../../intake/places/gazetteer.ts";
import type { Home } from "../../../kernel/home.ts";
import { DAY_MS, isoDate, utcDayStart } from "../../../kernel/time.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { requiredState } from "../../../operations/existing-state.ts";
import { ReleaseStore } from "../../../resources/release-store.ts";
import type { OutsideDemand } from "../../../state/usage/demand-counts.ts";
import { wholeNumber } from "../../whole-number.ts";

const MAX_DAYS = 3660;

export function defineDemand(demand: Command, context: CommandContext): void {
  demand
    .summary("cities that people search in and the service does not cover")
    .description(
      `list the cities of the catalogue outside the service that ${DEMAND.minClients} clients or more searched in, most first. Clients are told apart within a UTC day only and summed over the days. Demand is no evidence of what is in a city.`,
    )
    .option("--days <days>", "how many UTC days, today included", String(DEMAND.windowDays))
    .option("--json", "print them as JSON")
    .action((options: { days: string; json?: boolean }) => list(context, options));
}

async function list(
  context: CommandContext,
  { days, json }: { days: string; json?: boolean },
): Promise<void> {
  const count = Math.min(MAX_DAYS, wholeNumber(days, "--days"));
  const tomorrow = utcDayStart(context.clock()) + DAY_MS;
  await using state = await requiredState(context);
  const { outside } = await state.usage.demand(tomorrow, count);
  const cities = named(context, outside);
  printResult(context, json, {
    from: isoDate(tomorrow - count * DAY_MS),
    to: isoDate(tomorrow - DAY_MS),
    counted_since: (await state.usage.searchesCountedSince()) ?? null,
    min_clients: DEMAND.minClients,
    cities: json === true ? cities : Object.fromEntries(cities.map((city) => [label(city), shown(city)])),
  });
}

type NamedDemand = ReturnType<typeof named>[number];

/** Those with clients enough, by clients, then searches; a city that came into the service since is left out. */
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

/** Cities of the current release, by their ids in the catalogue. */
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

function shown({ searches, daily_clients }: NamedDemand): string {
  return `${searches} searches by ${daily_clients} clients`;
}
