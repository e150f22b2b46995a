import { RAW_ACTIVITY_DAYS } from "../../contract/limits.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import { affected, insertMany, inTransaction, SKIP_KNOWN, type Store } from "../store.ts";
import { addToCounters, type CountedRequest, countedRequest, type RequestRecord } from "./usage-counters.ts";
import { UsageReader } from "./usage-reports.ts";

const SALT_BYTES = 32;

/** Usage of the service: single requests of partners for 90 days, daily counters of all requests forever. No address is stored. */
export class Usage extends UsageReader {
  async record(requests: readonly RequestRecord[]): Promise<void> {
    if (requests.length > 0) await inTransaction(this.store, (store) => add(store, requests, null));
  }

  /**
   * Counts what was read from a part of a log, unless that part was counted before; then false. `segment` names the part, such as a
   * hash of its content: a name that changes when logs are rotated would count it twice.
   */
  importSegment(segment: string, requests: readonly RequestRecord[]): Promise<boolean> {
    return inTransaction(this.store, async (store) => {
      const row = { segment, requests: requests.length, importedAt: store.clock() };
      if ((await insertMany(store, "usage_segments", [row], SKIP_KNOWN)) === 0) return false;
      if (requests.length > 0) await add(store, requests, segment);
      return true;
    });
  }

  /** Those of some thousand segments that were counted before. */
  async imported(segments: readonly string[]): Promise<ReadonlySet<string>> {
    if (segments.length === 0) return new Set();
    const rows = await this.store.db
      .selectFrom("usage_segments")
      .select("segment")
      .where("segment", "in", segments)
      .execute();
    return new Set(rows.map(({ segment }) => segment));
  }

  /**
   * Deletes single requests after 90 days, and salts with the hashes made with them a day after their own is over: until then
   * the front server's log of that day can be read in. Names of log parts go once every line in them is too old to be read in again.
   * Returns how many requests went.
   */
  prune(): Promise<number> {
    return inTransaction(this.store, async ({ db, clock }) => {
      const yesterday = isoDate(clock() - DAY_MS);
      await db.deleteFrom("usage_salts").where("utc_day", "<", yesterday).execute();
      await db.deleteFrom("usage_instances").where("utc_day", "<", yesterday).execute();
      await db.deleteFrom("usage_search_clients").where("utc_day", "<", yesterday).execute();
      const oldest = clock() - RAW_ACTIVITY_DAYS * DAY_MS;
      await db
        .deleteFrom("usage_segments")
        .where("imported_at", "<", oldest - DAY_MS)
        .execute();
      return affected(db.deleteFrom("usage_requests").where("requested_at", "<", oldest));
    });
  }
}

async function add(store: Store, requests: readonly RequestRecord[], segment: string | null): Promise<void> {
  const days = Map.groupBy(requests, ({ at }) => isoDate(at));
  const salts = await saltsOf(store, [...days.keys()].sort());
  const counted = [...days].flatMap(([day, ofDay]) =>
    ofDay.map((request) => countedRequest(request, salts.get(day) ?? "")),
  );
  const single = counted.filter(isKeptSingly);
  const rows = single.map(({ at, times: _, search: __, ...row }) => ({ ...row, requestedAt: at, segment }));
  await insertMany(store, "usage_requests", rows);
  await addToCounters(store, counted);
}

/** Only partners see their single requests. Quotas bound what is admitted; nothing bounds what is refused, so it is counted alone. */
function isKeptSingly({ clientId, rateLimited }: CountedRequest): boolean {
  return clientId !== null && !rateLimited;
}

/** Of two processes that make a day's salt at once, the first one's counts. */
async function saltsOf(store: Store, days: readonly string[]): Promise<Map<string, string>> {
  const fresh = days.map((utcDay) => ({ utcDay, salt: store.random(SALT_BYTES).toString("hex") }));
  const known = await readSalts(store, days);
  const missing = fresh.filter(({ utcDay }) => !known.has(utcDay));
  if (missing.length === 0) return known;
  await insertMany(store, "usage_salts", missing, SKIP_KNOWN);
  return readSalts(store, days);
}

async function readSalts({ db }: Store, days: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom("usage_salts").selectAll().where("utc_day", "in", days).execute();
  return new Map(rows.map(({ utc_day, salt }) => [utc_day, salt]));
}
