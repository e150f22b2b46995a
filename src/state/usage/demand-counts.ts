import { type Kysely, sql } from "kysely";
import { DAY_MS, isoDate, utcDayStart } from "../../kernel/time.ts";
import type { StateTables } from "../tables.ts";
import type { Dimension } from "./usage-counters.ts";

/** Searches in whole UTC days, from the daily counters alone. */
export interface DemandCounts {
  readonly covered: readonly CoveredDemand[]; // by slug
  readonly outside: readonly OutsideDemand[]; // by GeoNames id
}

export interface CoveredDemand {
  readonly city: string; // slug
  readonly searches: number;
  readonly searchesWithoutResult: number;
  readonly dailyClients: number; // sum over the days: nobody is followed from one day to the next
  readonly alertSubscriptions: number; // confirmed in the window, whatever became of them
}

export interface OutsideDemand {
  readonly geonameId: number;
  readonly searches: number;
  readonly dailyClients: number;
}

/** The `days` whole UTC days before `windowEnd`, which is rounded down to the start of its day. */
export async function demandCounts(
  db: Kysely<StateTables>,
  windowEnd: number,
  days: number,
): Promise<DemandCounts> {
  const end = utcDayStart(windowEnd);
  const window = { start: end - days * DAY_MS, end };
  const sums = (dimension: Dimension) => sumsOf(db, window, dimension);
  const searches = await sums("search");
  const nothing = await sums("search_nothing");
  const clients = await sums("search_client");
  const subscriptions = await confirmedIn(db, window);
  const outside = await sums("outside");
  const outsideClients = await sums("outside_client");
  return {
    covered: [...new Set([...searches.keys(), ...subscriptions.keys()])].sort().map((city) => ({
      city,
      searches: searches.get(city) ?? 0,
      searchesWithoutResult: nothing.get(city) ?? 0,
      dailyClients: clients.get(city) ?? 0,
      alertSubscriptions: subscriptions.get(city) ?? 0,
    })),
    outside: [...outside]
      .map(([id, count]) => ({
        geonameId: Number(id),
        searches: count,
        dailyClients: outsideClients.get(id) ?? 0,
      }))
      .sort((one, other) => one.geonameId - other.geonameId),
  };
}

interface Window {
  readonly start: number;
  readonly end: number; // exclusive
}

async function sumsOf(
  db: Kysely<StateTables>,
  { start, end }: Window,
  dimension: Dimension,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("usage_counters")
    .select(["value", sql<number>`cast(sum(requests) as bigint)`.as("requests")])
    .where("utc_day", ">=", isoDate(start))
    .where("utc_day", "<", isoDate(end))
    .where("dimension", "=", dimension)
    .groupBy("value")
    .execute();
  return new Map(rows.map(({ value, requests }) => [value, requests]));
}

async function confirmedIn(db: Kysely<StateTables>, { start, end }: Window): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("subscriptions")
    .select(["city", sql<number>`cast(count(*) as bigint)`.as("count")])
    .where("confirmed_at", ">=", start)
    .where("confirmed_at", "<", end)
    .groupBy("city")
    .execute();
  return new Map(rows.map(({ city, count }) => [city, count]));
}
