import type Database from "better-sqlite3";
import { z } from "zod";
import { OnlinePresence, SignalType } from "../contract/enums.ts";
import { selection } from "../kernel/table.ts";
import { onlineChecks as checks } from "./database/tables.ts";

/** Results of looking for a record on the public web. They lie outside the tree: no citation and no score depends on them. */
export const OnlineCheck = z.object({
  record: z.int().positive(),
  checkedAt: z.int().nonnegative(), // ms
  verdict: OnlinePresence,
  signalTypes: z.array(SignalType),
  matchCount: z.int().nonnegative(),
  provider: z.string().min(1),
});
export type OnlineCheck = z.infer<typeof OnlineCheck>;

const CHECK = selection(checks.columns, "id");

/** Throws ZodError for a malformed check, and SQLite's constraint error for a record that does not exist. */
export function insertOnlineCheck(database: Database.Database, check: OnlineCheck): void {
  const { record, checkedAt, verdict, signalTypes, matchCount, provider } = OnlineCheck.parse(check);
  database
    .prepare(
      "INSERT INTO online_checks (record, checked_at, verdict, signal_types, match_count, provider) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(record, checkedAt, verdict, JSON.stringify(signalTypes), matchCount, provider);
}

/** Checks made up to and including `upTo` (ms), the earliest first. */
export function onlineChecks(database: Database.Database, upTo: number): OnlineCheck[] {
  return CHECK.prepare<[number]>(
    database,
    "FROM online_checks WHERE checked_at <= ? ORDER BY checked_at, id",
  ).all(upTo);
}

/** Checks that may be published: of live records that a seal covers, that is up to row `sealed`. The earliest first. */
export function* publishedOnlineChecks(
  database: Database.Database,
  upTo: number,
  sealed: number,
): Generator<OnlineCheck> {
  const isLive = database.prepare<[number], number>("SELECT 1 FROM openings WHERE row = ?").pluck();
  for (const check of onlineChecks(database, upTo))
    if (check.record <= sealed && isLive.get(check.record) === 1) yield check;
}

/** A line of `online-checks.ndjson`. Who made the check stays private. */
export const PublishedCheck = z.strictObject({
  record: OnlineCheck.shape.record, // ledger row
  checked_at: z.iso.datetime(),
  verdict: OnlinePresence,
  signal_types: OnlineCheck.shape.signalTypes,
  match_count: OnlineCheck.shape.matchCount,
});

export function publishedCheckLine(check: OnlineCheck): string {
  const line: z.infer<typeof PublishedCheck> = {
    record: check.record,
    checked_at: new Date(check.checkedAt).toISOString(),
    verdict: check.verdict,
    signal_types: check.signalTypes,
    match_count: check.matchCount,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The last check of each record up to `upTo` (ms), by record. */
export function latestOnlineChecks(database: Database.Database, upTo: number): Map<number, OnlineCheck> {
  return new Map(onlineChecks(database, upTo).map((check) => [check.record, check]));
}
