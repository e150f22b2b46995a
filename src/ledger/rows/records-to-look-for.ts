import type Database from "better-sqlite3";
import { LedgerState } from "../decisions/ledger-state.ts";
import { latestOnlineChecks, type OnlineCheck } from "../online-checks.ts";
import { DeskRows } from "./desk-rows.ts";
import { taughtPhones } from "./private-details.ts";

/** A live record that may get an online check. Website and telephone are those that counting rows, or a reviewer, taught; `phone` is private. */
export interface RecordToLookFor {
  readonly record: number;
  readonly name: string;
  readonly city: string; // display name
  readonly website: string | null;
  readonly phone: string | undefined;
  readonly lastCheck: OnlineCheck | undefined;
}

/**
 * Every live record of a published city, in order, except the merged, the dissolved and the synthetic: no search service is asked
 * about invented businesses. Reads the ledger through.
 */
export function* recordsToLookFor(database: Database.Database): Generator<RecordToLookFor> {
  const { records, cities } = LedgerState.of(new DeskRows(database).rows());
  const phones = taughtPhones(database);
  const checks = latestOnlineChecks(database, Number.MAX_SAFE_INTEGER);
  for (const { id, body, name, website, merge, status } of records.values()) {
    const city = cities.get(body.city);
    if (city?.publicationStatus !== "published" || body.is_synthetic) continue;
    if (merge !== undefined || status === "dissolved") continue;
    const [phone, lastCheck] = [phones.get(id), checks.get(id)];
    yield { record: id, name, city: city.details.name, website, phone, lastCheck };
  }
}
