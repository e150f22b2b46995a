import type { Database } from "better-sqlite3";
import { z } from "zod";
import { DEMAND } from "../contract/limits.ts";
import { reportReader, reportTable, writeReport } from "./report-table.ts";

const Count = z.int().nonnegative();

const CityDemand = z.object({
  city: z.string(), // slug
  dailyClients: Count,
  searches: Count,
  searchesWithoutResult: Count,
  alertSubscriptions: Count,
});
export type CityDemand = z.infer<typeof CityDemand>;

/** Search counts of whole UTC days before a release: an input of the release like the machine activity. */
export const DemandInput = z.object({
  windowEnd: z.int(), // ms, exclusive
  windowDays: z.int().positive(),
  cities: z.array(CityDemand),
});
export type DemandInput = z.infer<typeof DemandInput>;

export const demand = reportTable("demand", DemandInput);

/** Stores the publishable part and returns its SHA-256 (hex); null when nothing was measured. Cities must be written before. */
export function writeDemand(db: Database, input: DemandInput | undefined): string | null {
  return input === undefined ? null : writeReport(db, demand, publishable(db, input));
}

/** Leaves out cities that the release does not have, and cities with too few clients. */
function publishable(db: Database, { cities, ...window }: DemandInput): DemandInput {
  const known = db.prepare("SELECT 1 FROM cities WHERE slug = ?").pluck();
  const publishable = cities
    .filter(({ city, dailyClients }) => dailyClients >= DEMAND.minClients && known.get(city) !== undefined)
    .toSorted((a, b) => (a.city < b.city ? -1 : 1));
  return { ...window, cities: publishable };
}

type PublishedDemand = CityDemand & Omit<DemandInput, "cities">;

export function demandQueries(db: Database) {
  const report = reportReader(db, demand)();
  const bySlug = new Map(report?.cities.map((city) => [city.city, city]));
  return {
    /** As given to the build, without what is not published; undefined when nothing was measured. */
    demandInput: () => report,
    /** The demand for a city (slug) with its window; undefined where none is published. */
    demand(slug: string): PublishedDemand | undefined {
      const city = bySlug.get(slug);
      if (report === undefined || city === undefined) return undefined;
      return { ...city, windowEnd: report.windowEnd, windowDays: report.windowDays };
    },
  };
}
