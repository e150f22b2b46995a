import { type Kysely, sql } from "kysely";
import type { ClientClass, Transport } from "../../contract/enums.ts";
import { DAY_MS, isoDate, utcDayStart } from "../../kernel/time.ts";
import type { Store } from "../store.ts";
import type { StateTables } from "../tables.ts";
import type { Dimension } from "./usage-counters.ts";

export type ActivityReport = Awaited<ReturnType<UsageReader["report"]>>;
/** Searches in whole UTC days. */
export type DemandCounts = Awaited<ReturnType<UsageReader["demand"]>>;
/** A partner's own requests. */
export type PartnerUsage = Awaited<ReturnType<UsageReader["ofClient"]>>;

interface Ranked {
  readonly value: string;
  readonly requests: number;
}

type StatusClass = "2xx" | "3xx" | "4xx" | "5xx" | "unclassified";

/** The dimensions with few values. The others can have many thousands, and only their first are wanted. */
const SMALL = [
  "internal",
  "all",
  "transport",
  "class",
  "status",
  "flag",
  "instance",
  "partner",
  "crawler",
] as const;
const TOP = 10;

const RECENT = 20;
const count = sql<number>`count(*)`.as("requests");

/** Reads what was counted: from the daily counters alone, also for days whose single requests are deleted; a partner's from these. */
export class UsageReader {
  protected readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Machine activity in the `days` whole UTC days before `windowEnd`, which is rounded down to the start of its day (interface 2.14). */
  async report(windowEnd: number, days: number) {
    const { db } = this.store;
    const end = utcDayStart(windowEnd);
    const start = end - days * DAY_MS;
    const window = { from: isoDate(start), before: isoDate(end) };
    const earlier = new Tally(
      await counters(db, { from: isoDate(start - days * DAY_MS), before: window.from }),
    );
    const tally = new Tally(await counters(db, window));
    const top = (dimension: Dimension) => sumsOf(db, window, dimension, TOP);
    return {
      windowStart: start,
      windowEnd: end, // exclusive
      counts: countsOf(tally),
      previousExternalRequests: earlier.sum("all"), // the same number of days before
      latestExternalRequestAt: tally.latest("all"), // in the window
      attribution: attributionOf(tally),
      topEndpoints: await top("endpoint"),
      topTools: await top("tool"),
      topCities: await top("city"),
      topRecords: await top("record"),
      topCrawlers: await top("crawler"),
      daily: Array.from({ length: days }, (_, day) => dailyOf(tally, isoDate(start + day * DAY_MS))),
    };
  }

  /** Requests of the partners that sent most, by public id, in the same days. */
  async partnersIn(windowEnd: number, days: number): Promise<Ranked[]> {
    const end = utcDayStart(windowEnd);
    const window = { from: isoDate(end - days * DAY_MS), before: isoDate(end) };
    return sumsOf(this.store.db, window, "partner", TOP);
  }

  /** Searches in the same days: in cities of the service by slug, in others by GeoNames id. */
  async demand(windowEnd: number, days: number) {
    const { db } = this.store;
    const end = utcDayStart(windowEnd);
    const start = end - days * DAY_MS;
    const window = { from: isoDate(start), before: isoDate(end) };
    const sums = async (dimension: Dimension) =>
      new Map((await sumsOf(db, window, dimension)).map(({ value, requests }) => [value, requests]));
    const searches = await sums("search");
    const nothing = await sums("search_nothing");
    const clients = await sums("search_client");
    const subscriptions = await confirmedIn(db, { start, end });
    const outside = await sums("outside");
    const outsideClients = await sums("outside_client");
    return {
      covered: [...new Set([...searches.keys(), ...subscriptions.keys()])].sort().map((city) => ({
        city,
        searches: searches.get(city) ?? 0,
        searchesWithoutResult: nothing.get(city) ?? 0,
        dailyClients: clients.get(city) ?? 0, // sum over the days: nobody is followed from one day to the next
        alertSubscriptions: subscriptions.get(city) ?? 0, // confirmed in the window, whatever became of them
      })),
      outside: [...outside]
        .map(([id, searched]) => ({
          geonameId: Number(id),
          searches: searched,
          dailyClients: outsideClients.get(id) ?? 0,
        }))
        .sort((one, other) => one.geonameId - other.geonameId),
    };
  }

  /** The first UTC day that anything was counted, or this; undefined before. */
  async countedSince(dimension?: Dimension): Promise<string | undefined> {
    const first = await this.store.db
      .selectFrom("usage_counters")
      .select("utc_day")
      .$if(dimension !== undefined, (one) => one.where("dimension", "=", dimension ?? ""))
      .orderBy("utc_day")
      .limit(1)
      .executeTakeFirst();
    return first?.utc_day;
  }

  /** A partner's requests, from the single ones that are kept (interface 2.13). */
  async ofClient(clientId: string) {
    const { db, clock } = this.store;
    const now = clock();
    const since = (days: number) =>
      db
        .selectFrom("usage_requests")
        .where("client_id", "=", clientId)
        .where("requested_at", ">", now - days * DAY_MS);
    const week = await since(7).select(count).executeTakeFirstOrThrow();
    const errors = await since(1)
      .where((where) => where.or([where("status", ">=", 400), where("status", "is", null)]))
      .select(count)
      .executeTakeFirstOrThrow();
    const latencies = await since(1)
      .where("latency_ms", "is not", null)
      .select(count)
      .executeTakeFirstOrThrow();
    const slow = await since(1)
      .where("latency_ms", "is not", null)
      .select("latency_ms")
      .orderBy("latency_ms")
      .offset(Math.max(0, Math.ceil(latencies.requests * 0.95) - 1)) // nearest rank
      .limit(1)
      .executeTakeFirst();
    const mix = await since(30)
      .select(["operation", count])
      .groupBy("operation")
      .orderBy("requests", "desc")
      .orderBy("operation")
      .execute();
    return {
      requests7d: week.requests,
      errors24h: errors.requests, // answers of 400 and above, and none
      p95LatencyMs24h: slow?.latency_ms ?? null, // null: no request in that time
      endpointMix30d: mix,
      recentRequests: await recentRequests(db, clientId),
    };
  }
}

interface Days {
  readonly from: string;
  readonly before: string;
}

type Counter = StateTables["usage_counters"];

function counters(db: Kysely<StateTables>, { from, before }: Days): Promise<Counter[]> {
  return db
    .selectFrom("usage_counters")
    .selectAll()
    .where("utc_day", ">=", from)
    .where("utc_day", "<", before)
    .where("dimension", "in", SMALL)
    .execute();
}

/** The sum of each value of a dimension, largest first. */
function sumsOf(
  db: Kysely<StateTables>,
  { from, before }: Days,
  dimension: Dimension,
  most?: number,
): Promise<Ranked[]> {
  return db
    .selectFrom("usage_counters")
    .select(["value", sql<number>`cast(sum(requests) as bigint)`.as("requests")])
    .where("utc_day", ">=", from)
    .where("utc_day", "<", before)
    .where("dimension", "=", dimension)
    .groupBy("value")
    .orderBy("requests", "desc")
    .orderBy("value")
    .$if(most !== undefined, (one) => one.limit(most ?? 0))
    .execute();
}

/** Sums over the counters of a window. */
class Tally {
  readonly #counters: readonly Counter[];

  constructor(rows: readonly Counter[]) {
    this.#counters = rows;
  }

  of(dimension: Dimension): readonly Counter[] {
    return this.#counters.filter((counter) => counter.dimension === dimension);
  }

  on(day: string): Tally {
    return new Tally(this.#counters.filter((counter) => counter.utc_day === day));
  }

  sum(dimension: Dimension, value?: string): number {
    return this.of(dimension)
      .filter((counter) => value === undefined || counter.value === value)
      .reduce((sum, { requests }) => sum + requests, 0);
  }

  latest(dimension: Dimension): number | null {
    const times = this.of(dimension).map((counter) => counter.latest_at);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** How many values of a dimension were seen on two or more days. */
  recurring(dimension: Dimension): number {
    const days = Map.groupBy(this.of(dimension), ({ value }) => value);
    return [...days.values()].filter((seen) => seen.length >= 2).length;
  }
}

function countsOf(tally: Tally) {
  return {
    externalRequests: tally.sum("all"),
    internalRequests: tally.sum("internal"),
    dailyClientInstances: tally.sum("instance"), // sum over the days
    // Partners and crawlers seen on two or more days.
    recurringClients: tally.recurring("partner") + tally.recurring("crawler"),
    transport: transportsOf(tally),
    clientClass: classesOf(tally),
    status: statusesOf(tally),
    timedOut: tally.sum("flag", "timed_out"),
    schemaFailures: tally.sum("flag", "schema_failure"),
    rateLimited: tally.sum("flag", "rate_limited"),
  };
}

function transportsOf(tally: Tally): Record<Transport, number> {
  const requests = (value: Transport) => tally.sum("transport", value);
  return { rest: requests("rest"), mcp: requests("mcp"), other: requests("other") };
}

function classesOf(tally: Tally): Record<ClientClass, number> {
  const requests = (value: ClientClass) => tally.sum("class", value);
  return {
    search_crawler: requests("search_crawler"),
    ai_crawler: requests("ai_crawler"),
    authenticated_partner: requests("authenticated_partner"),
    anonymous_or_unattributed: requests("anonymous_or_unattributed"),
    other_client: requests("other_client"),
  };
}

function statusesOf(tally: Tally): Record<StatusClass, number> {
  const requests = (value: StatusClass) => tally.sum("status", value);
  return {
    "2xx": requests("2xx"),
    "3xx": requests("3xx"),
    "4xx": requests("4xx"),
    "5xx": requests("5xx"),
    unclassified: requests("unclassified"),
  };
}

function attributionOf(tally: Tally) {
  const [apiKey, declaredCrawler] = [tally.sum("partner"), tally.sum("crawler")];
  return { apiKey, declaredCrawler, none: tally.sum("all") - apiKey - declaredCrawler };
}

function dailyOf(window: Tally, day: string) {
  const tally = window.on(day);
  return {
    day,
    externalRequests: tally.sum("all"),
    clientInstances: tally.sum("instance"),
    transport: transportsOf(tally),
  };
}

async function confirmedIn(
  db: Kysely<StateTables>,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("subscriptions")
    .select(["city", sql<number>`cast(count(*) as bigint)`.as("count")])
    .where("confirmed_at", ">=", start)
    .where("confirmed_at", "<", end)
    .groupBy("city")
    .execute();
  return new Map(rows.map(({ city, count }) => [city, count]));
}

function recentRequests(db: Store["db"], clientId: string) {
  return db
    .selectFrom("usage_requests")
    .select(["requested_at as at", "operation", "tool", "status", "latency_ms as latencyMs"])
    .where("client_id", "=", clientId)
    .orderBy("requested_at", "desc")
    .orderBy("id", "desc")
    .limit(RECENT)
    .execute();
}
