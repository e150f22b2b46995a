import type { Database } from "better-sqlite3";
import { z } from "zod";
import { MIN_NAMED_REQUESTS } from "../contract/limits.ts";
import { reportReader, reportTable, writeReport } from "./report-table.ts";

const Count = z.int().nonnegative();
const Transports = z.object({ rest: Count, mcp: Count, other: Count });
const Ranking = z.array(z.object({ value: z.string(), requests: Count }));

/**
 * Request counts of whole UTC days before a release. They are an input of the release like the ledger: plain data, because they
 * cross threads and are stored in the snapshot. Times in ms.
 */
export const ActivityInput = z.object({
  measuredSince: z.string(), // first UTC day with any count
  windowStart: z.int(),
  windowEnd: z.int(), // exclusive
  counts: z.object({
    externalRequests: Count,
    internalRequests: Count,
    dailyClientInstances: Count,
    recurringClients: Count,
    transport: Transports,
    clientClass: z.object({
      search_crawler: Count,
      ai_crawler: Count,
      authenticated_partner: Count,
      anonymous_or_unattributed: Count,
      other_client: Count,
    }),
    status: z.object({ "2xx": Count, "3xx": Count, "4xx": Count, "5xx": Count, unclassified: Count }),
    timedOut: Count,
    schemaFailures: Count,
    rateLimited: Count,
  }),
  previousExternalRequests: Count.nullable(), // in as many days before; null when they were not all measured
  latestExternalRequestAt: z.int().nullable(),
  attribution: z.object({ apiKey: Count, declaredCrawler: Count, none: Count }),
  topEndpoints: Ranking,
  topTools: Ranking,
  topCities: Ranking, // slugs
  topRecords: Ranking, // public ids
  topCrawlers: Ranking,
  daily: z.array(
    z.object({ day: z.string(), externalRequests: Count, clientInstances: Count, transport: Transports }),
  ),
});
export type ActivityInput = z.infer<typeof ActivityInput>;

export const activity = reportTable("activity", ActivityInput);

/** Stores the publishable part and returns its SHA-256 (hex); null without input. Cities and records must be written before. */
export function writeActivity(db: Database, input: ActivityInput | undefined): string | null {
  return input === undefined ? null : writeReport(db, activity, publishable(db, input));
}

/** Leaves out cities and records that the release does not have, and records with very few requests. */
function publishable(db: Database, activity: ActivityInput): ActivityInput {
  const city = db.prepare("SELECT 1 FROM cities WHERE slug = ?").pluck();
  const record = db.prepare("SELECT 1 FROM records WHERE public_id = ? AND merged_into IS NULL").pluck();
  return {
    ...activity,
    topCities: activity.topCities.filter(({ value }) => city.get(value) !== undefined),
    topRecords: activity.topRecords.filter(
      ({ value, requests }) => requests >= MIN_NAMED_REQUESTS && record.get(value) !== undefined,
    ),
  };
}

export function activityQueries(db: Database) {
  /** Undefined when nothing was measured. */
  return { activity: reportReader(db, activity) };
}
