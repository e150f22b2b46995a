/** Tables of one row, each with one report in JSON: counts from before the release, and results of the sample reviews. */
import type { Database } from "better-sqlite3";
import type { z } from "zod";
import { sha256Hex } from "../kernel/hash.ts";
import { type Column, checkedJson, inserter, selection, type Table, table } from "../kernel/table.ts";
import type { JsonValue } from "../kernel/text/canonical-json.ts";

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
