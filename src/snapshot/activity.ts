import type { Database } from "better-sqlite3";
import { z } from "zod";
import { MIN_NAMED_REQUESTS, MINIMUMS } from "../contract/limits.ts";
import { reportReader, reportTable, writeReport } from "./demand.ts";

const Count = z.int().nonnegative();
const Transports = z.object({ rest: Count, mcp: Count, other: Count });
const Day = z.object({
  day: z.string(),
  externalRequests: Count,
  clientInstances: Count,
  transport: Transports,
});
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
  daily: z.array(Day),
});
export type ActivityInput = z.infer<typeof ActivityInput>;

/** What a release stores of it. */
const PublishedActivity = ActivityInput.extend({
  daily: z.array(Day.extend({ clientsWithheld: z.boolean() })), // true: too few clients, and `clientInstances` is 0
});
export type PublishedActivity = z.infer<typeof PublishedActivity>;

export const activity = reportTable("activity", PublishedActivity);

/** Stores the publishable part and returns its SHA-256 (hex); null without input. Cities and records must be written before. */
export function writeActivity(db: Database, input: ActivityInput | undefined): string | null {
  return input === undefined ? null : writeReport(db, activity, publishable(db, input));
}

/** Leaves out cities and records that the release does not have, records with very few requests, and days' counts of few clients. */
function publishable(db: Database, activity: ActivityInput): PublishedActivity {
  const city = db.prepare("SELECT 1 FROM cities WHERE slug = ?").pluck();
  const record = db.prepare("SELECT 1 FROM records WHERE public_id = ? AND merged_into IS NULL").pluck();
  return {
    ...activity,
    topCities: activity.topCities.filter(({ value }) => city.get(value) !== undefined),
    topRecords: activity.topRecords.filter(
      ({ value, requests }) => requests >= MIN_NAMED_REQUESTS && record.get(value) !== undefined,
    ),
    daily: withheldClients(activity.daily),
  };
}

/**
 * Days with their clients, those of few clients withheld. The sum over all days is published, so a single withheld day takes the
 * one with the next fewest clients along.
 */
export function withheldClients(daily: ActivityInput["daily"]): PublishedActivity["daily"] {
  const fewest = daily
    .filter(({ clientInstances }) => clientInstances > 0)
    .sort((a, b) => a.clientInstances - b.clientInstances);
  const few = fewest.filter(({ clientInstances }) => clientInstances < MINIMUMS.people).length;
  const withheld = new Set(fewest.slice(0, few === 1 ? 2 : few));
  return daily.map((day) =>
    withheld.has(day)
      ? { ...day, clientInstances: 0, clientsWithheld: true }
      : { ...day, clientsWithheld: false },
  );
}

export function activityQueries(db: Database) {
  /** Undefined when nothing was measured. */
  return { activity: reportReader(db, activity) };
}
