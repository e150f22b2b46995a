import type Database from "better-sqlite3";
import { z } from "zod";
import { latestOnlineChecks, type OnlineCheck } from "../online-checks.ts";
import { LiveRows } from "./live-rows.ts";
import { CityBody, RecordBody, StatusBody } from "./rows.ts";

/** A live record that an online check may be made for. `phone` is private. */
export interface RecordToLookFor {
  readonly record: number;
  readonly name: string;
  readonly city: string; // display name
  readonly website: string | null;
  readonly phone: string | undefined;
  readonly lastCheck: OnlineCheck | undefined;
}

type Stored = { readonly id: number; readonly body: string; readonly private: string | null };

const Contact = z.object({ contact: z.object({ phone: z.string().optional() }) });

/**
 * Every live record of a published city, in order, but for those that went into another one, are dissolved or are synthetic: invented
 * businesses are not asked about. Reads the ledger through.
 */
export function* recordsToLookFor(database: Database.Database): Generator<RecordToLookFor> {
  const cities = publishedCities(database);
  const merged = mergedRecords(database);
  const dissolved = dissolvedRecords(database);
  const checks = latestOnlineChecks(database, Number.MAX_SAFE_INTEGER);
  for (const { id, body, private: hidden } of ofKind(database, "record")) {
    const { name, city, website, is_synthetic } = RecordBody.parse(JSON.parse(body));
    const cityName = cities.get(city);
    if (cityName === undefined || is_synthetic || merged.has(id) || dissolved.has(id)) continue;
    const phone = Contact.safeParse(JSON.parse(hidden ?? "null")).data?.contact.phone;
    yield { record: id, name, city: cityName, website, phone, lastCheck: checks.get(id) };
  }
}

function ofKind(database: Database.Database, kind: string): IterableIterator<Stored> {
  return database
    .prepare<[string], Stored>(
      "SELECT id, body, private FROM rows JOIN openings ON row = id WHERE kind = ? ORDER BY id",
    )
    .iterate(kind);
}

/** Slug -> display name. */
function publishedCities(database: Database.Database): Map<string, string> {
  const names = new Map<string, string>();
  const hidden = new Set<string>();
  for (const { body } of ofKind(database, "city")) {
    const { city, step, details } = CityBody.parse(JSON.parse(body));
    if (details !== null) names.set(city, details.name);
    if (step === "unpublish") hidden.add(city);
    if (step === "publish") hidden.delete(city);
  }
  for (const city of hidden) names.delete(city);
  return names;
}

/** The later decision wins: a record that shall stay now, and had itself gone into this one, is no longer merged. */
function mergedRecords(database: Database.Database): Map<number, number> {
  const into = new Map<number, number>();
  for (const { body } of new LiveRows(database).merges()) {
    if (body.into === null || body.into === body.target) continue;
    for (let at: number | undefined = body.into; at !== undefined; at = into.get(at))
      if (into.get(at) === body.target) into.delete(body.into);
    into.set(body.target, body.into);
  }
  return into;
}

function dissolvedRecords(database: Database.Database): Set<number> {
  const dissolved = new Set<number>();
  for (const { body } of ofKind(database, "status")) {
    const { record, status } = StatusBody.parse(JSON.parse(body));
    if (status === "dissolved") dissolved.add(record);
    else dissolved.delete(record);
  }
  return dissolved;
}
