import type { Database } from "better-sqlite3";
import { z } from "zod";
import { DEMAND } from "../contract/limits.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";
import { inserter } from "./write/inserter.ts";

const Count = z.int().nonnegative();

const CityDemand = z.object({
  city: z.string(), // slug
  dailyClients: Count,
  searches: Count,
  searchesWithoutResult: Count,
  alertSubscriptions: Count,
});
export type CityDemand = z.infer<typeof CityDemand>;

/** What the state counted of searches in whole UTC days before a release: an input of the release like the machine activity. */
export const DemandInput = z.object({
  windowEnd: z.int(), // ms, exclusive
  windowDays: z.int().positive(),
  cities: z.array(CityDemand),
});
export type DemandInput = z.infer<typeof DemandInput>;

/** Stores what may be published and returns its SHA-256 (hex); null when nothing was measured. Cities must be written before. */
export function writeDemand(db: Database, demand: DemandInput | undefined): string | null {
  if (demand === undefined) return null;
  const text = canonicalJson(publishable(db, DemandInput.parse(demand)));
  inserter(db, "demand")([text]);
  return sha256Hex(text);
}

/** Without cities that the release does not have, and without those that too few clients searched in. */
function publishable(db: Database, { cities, ...window }: DemandInput): DemandInput {
  const known = db.prepare("SELECT 1 FROM cities WHERE slug = ?").pluck();
  const shown = cities
    .filter(({ city, dailyClients }) => dailyClients >= DEMAND.minClients && known.get(city) !== undefined)
    .toSorted((a, b) => (a.city < b.city ? -1 : 1));
  return { ...window, cities: shown };
}

export interface DemandQueries {
  /** The demand for a city (slug) with its window; undefined where none is published. */
  demand(city: string): (CityDemand & Omit<DemandInput, "cities">) | undefined;
}

export function demandQueries(db: Database): DemandQueries {
  const stored = db.prepare<[], string>("SELECT report FROM demand").pluck().get();
  const report = stored === undefined ? undefined : DemandInput.parse(JSON.parse(stored));
  const bySlug = new Map(report?.cities.map((city) => [city.city, city]));
  return {
    demand(slug) {
      const city = bySlug.get(slug);
      if (report === undefined || city === undefined) return undefined;
      return { ...city, windowEnd: report.windowEnd, windowDays: report.windowDays };
    },
  };
}
