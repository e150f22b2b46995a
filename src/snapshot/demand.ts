import type { Database } from "better-sqlite3";
import { z } from "zod";
import { DEMAND } from "../contract/limits.ts";
import { NO_REPORT_COUNTS, OperatorIncident, ReportCounts } from "../contract/service/status.ts";
import { sha256Hex } from "../kernel/hash.ts";
import {
  type Column,
  checkedJson,
  inserter,
  integer,
  selection,
  type Table,
  table,
} from "../kernel/table.ts";
import { canonicalJson, type JsonValue } from "../kernel/text/json.ts";

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

export const reportCounts = reportTable("report_counts", ReportCounts, "counts");

/**
 * Stores the counts of reports and returns their SHA-256 (hex); null when nothing was measured. They are an input of the release
 * like the ledger.
 */
export function writeReportCounts(db: Database, counts: ReportCounts = NO_REPORT_COUNTS): string | null {
  return counts.reports_until === null ? null : writeReport(db, reportCounts, counts);
}

export function reportCountQueries(db: Database) {
  const stored = reportReader(db, reportCounts);
  /** All null when nothing was measured. */
  return { reportCounts: () => stored() ?? NO_REPORT_COUNTS };
}

/** Tables of one row, each with one report in JSON: counts from before the release, and results of the sample reviews. */

type ReportTable<T> = Table<{ readonly report: Column<T> }>;

export function reportTable<T extends JsonValue>(
  name: string,
  schema: z.ZodType<T>,
  column = "report",
): ReportTable<T> {
  return table(name, { public: { report: checkedJson(schema).named(column) } });
}

/** Stores the report and returns the SHA-256 (hex) of its text. */
export function writeReport<T>(db: Database, reports: ReportTable<T>, report: T): string {
  return sha256Hex(inserter(db, reports)({ report }).join());
}

/** Undefined when the release has none. */
export function reportReader<T>(db: Database, { name, columns }: ReportTable<T>): () => T | undefined {
  const stored = selection(columns).prepare(db, `FROM ${name}`);
  return () => stored.get()?.report;
}

export const incidents = table("incidents", {
  public: { seq: integer().primaryKey(), incident: checkedJson(OperatorIncident) },
});

/** SHA-256 (hex) of the operator's incidents; null without any. They are an input of the release like the ledger. */
export function incidentsHash(incidents: readonly OperatorIncident[]): string | null {
  return incidents.length === 0 ? null : sha256Hex(canonicalJson(newestFirst(incidents)));
}

/** Stores the incidents and returns their hash. */
export function writeIncidents(db: Database, all: readonly OperatorIncident[]): string | null {
  const insert = inserter(db, incidents);
  for (const [at, incident] of newestFirst(all).entries()) insert({ seq: at + 1, incident });
  return incidentsHash(all);
}

/** A defined order, so that the order in the operator's file does not matter. */
function newestFirst(incidents: readonly OperatorIncident[]): OperatorIncident[] {
  const key = ({ started, title }: OperatorIncident) => `${started} ${title}`;
  return [...incidents].sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

export function incidentQueries(db: Database) {
  const stored = selection(incidents.columns).prepare(db, "FROM incidents ORDER BY seq");
  /** The operator's incidents, newest first. */
  return { incidents: () => stored.all().map(({ incident }) => incident) };
}
