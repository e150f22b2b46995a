import { sha256Hex } from "../../kernel/hash.ts";
import type { RowOf } from "../../kernel/table.ts";
import { isoDate, utcDayStart } from "../../kernel/time.ts";
import { insertMany, type NewRow, SKIP_KNOWN, type Store, storedText } from "../store.ts";
import { MAX_DAILY_CLIENTS, type STATE_TABLES } from "../tables.ts";

/** A search in a city of the service (slug), or in one of the catalogue that the service does not cover (GeoNames id). Nothing else of it is kept. */
export interface PlaceSearch {
  readonly kind: "covered" | "outside";
  readonly place: string;
  readonly foundNothing: boolean;
}

type StoredRequest = RowOf<typeof STATE_TABLES.usage_requests.columns>;

/** An answered request, or equal ones of one UTC day: the columns that are known of it, and what is counted alone. */
export interface RequestRecord
  extends Omit<StoredRequest, "id" | "requestedAt" | "segment" | "instanceHash"> {
  readonly at: number; // of the last one
  readonly times: number; // 1 for the request of a partner, which is stored
  /** Of a search that names a city: counted, and not stored with the request. */
  readonly search: PlaceSearch | null;
  /** Distinguishes clients within a day, such as address and user agent. Hashed with the day's salt, never stored. */
  readonly client: string | null;
}

/** The same with texts fit for the database, and the client as a hash. */
export interface CountedRequest extends Omit<RequestRecord, "client"> {
  readonly instanceHash: string | null;
}

const MAX_TEXT = 200;
const HASH_DIGITS = 32;

export function countedRequest({ client, ...request }: RequestRecord, salt: string): CountedRequest {
  const { agent, operation, tool, city, record, latencyMs } = request;
  return {
    ...request,
    agent: optionalText(agent),
    operation: storedText(operation, MAX_TEXT),
    tool: optionalText(tool),
    city: optionalText(city),
    record: optionalText(record),
    latencyMs: latencyMs === null ? null : Math.round(latencyMs),
    instanceHash: client === null ? null : sha256Hex(salt + client).slice(0, HASH_DIGITS),
  };
}

function optionalText(text: string | null): string | null {
  return text === null ? null : storedText(text, MAX_TEXT);
}

/**
 * What is counted by day and kept for ever. `internal` has the requests of our own health checks and addresses, all others have those of
 * strangers alone. `instance` counts clients, each once a day. `counted` has every request since searches are counted: its first day is the
 * first of the demand. Those that begin with `search` have slugs of cities of the service, those with `outside` GeoNames ids of other cities.
 */
export type Dimension =
  | "internal"
  | "all"
  | "transport"
  | "class"
  | "status"
  | "flag"
  | "instance"
  | "partner"
  | "crawler"
  | "endpoint"
  | "tool"
  | "city"
  | "record"
  | "counted"
  | "search"
  | "search_nothing"
  | "search_client"
  | "outside"
  | "outside_client";

type Counter = NewRow<"usage_counters">;

const ADD = `on conflict (utc_day, dimension, value) do update set
  requests = usage_counters.requests + excluded.requests,
  latest_at = case when excluded.latest_at > usage_counters.latest_at then excluded.latest_at else usage_counters.latest_at end`;

/**
 * Adds the rows to the counters. The caller inserts the rows in the same transaction. Days and counters go in one order always: two
 * processes that add to the same ones at once would else wait for each other.
 */
export async function addToCounters(store: Store, requests: readonly CountedRequest[]): Promise<void> {
  const days = Map.groupBy(requests, ({ at }) => utcDayStart(at));
  for (const [start, ofDay] of [...days].sort(([one], [other]) => one - other)) {
    const day = isoDate(start);
    const hasRoom = (await clientsOf(store, day)) < MAX_DAILY_CLIENTS;
    const clients = hasRoom ? instancesOf(day, ofDay) : [];
    const added = await insertMany(store, "usage_instances", clients, SKIP_KNOWN);
    const instances = { utcDay: day, dimension: "instance", value: "", requests: added, latestAt: 0 };
    const searching = hasRoom ? await searchClients(store, day, ofDay) : [];
    await insertMany(store, "usage_counters", [...countersOf(day, ofDay), instances, ...searching], ADD);
  }
}

async function clientsOf({ db }: Store, day: string): Promise<number> {
  const counter = await db
    .selectFrom("usage_counters")
    .select("requests")
    .where("utc_day", "=", day)
    .where("dimension", "=", "instance" satisfies Dimension)
    .where("value", "=", "")
    .executeTakeFirst();
  return counter?.requests ?? 0;
}

/** How many clients of each place are new that day. */
async function searchClients(
  store: Store,
  utcDay: string,
  requests: readonly CountedRequest[],
): Promise<Counter[]> {
  const places = Map.groupBy(
    requests.filter(isSearch),
    ({ search }) => `${CLIENTS[search.kind]} ${search.place}`,
  );
  const counters: Counter[] = [];
  for (const [key, ofPlace] of [...places].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [dimension = "", value = ""] = key.split(" ");
    const hashes = new Set(ofPlace.flatMap(({ instanceHash }) => instanceHash ?? []));
    const clients = [...hashes].sort().map((instanceHash) => ({ utcDay, place: key, instanceHash }));
    const added = await insertMany(store, "usage_search_clients", clients, SKIP_KNOWN);
    if (added > 0) counters.push({ utcDay, dimension, value, requests: added, latestAt: 0 });
  }
  return counters;
}

const CLIENTS = { covered: "search_client", outside: "outside_client" } as const;

function isSearch(request: CountedRequest): request is CountedRequest & { search: PlaceSearch } {
  return request.search !== null && isCountedByClient(request);
}

function countersOf(utcDay: string, requests: readonly CountedRequest[]): Counter[] {
  const counters = new Map<string, Counter>();
  for (const request of requests) {
    const { at, times } = request;
    for (const [dimension, value] of dimensionsOf(request)) {
      const key = `${dimension} ${value}`;
      const { requests: before, latestAt } = counters.get(key) ?? { requests: 0, latestAt: at };
      const latest = Math.max(latestAt, at);
      counters.set(key, { utcDay, dimension, value, requests: before + times, latestAt: latest });
    }
  }
  return [...counters.keys()].sort().flatMap((key) => counters.get(key) ?? []);
}

type Counted = readonly [Dimension, string];

function dimensionsOf(request: CountedRequest): readonly Counted[] {
  if (request.internal) return [["internal", ""]];
  return [
    ["all", ""],
    ["transport", request.transport],
    ["class", request.clientClass],
    ["status", statusClass(request.status)],
    ...flagsOf(request),
    ...attribution(request),
    ...subjects(request),
    ["counted", ""],
    ...searchDimensions(request.search),
  ];
}

function searchDimensions(search: PlaceSearch | null): Counted[] {
  if (search === null) return [];
  const { kind, place, foundNothing } = search;
  if (kind === "outside") return [["outside", place]];
  return foundNothing
    ? [
        ["search", place],
        ["search_nothing", place],
      ]
    : [["search", place]];
}

function flagsOf({ timedOut, schemaFailure, rateLimited }: CountedRequest): Counted[] {
  const flags = { timed_out: timedOut, schema_failure: schemaFailure, rate_limited: rateLimited };
  return Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [["flag", name] as const] : []));
}

/** A key says more than a name that anyone can give himself. */
function attribution({ clientId, agent }: CountedRequest): Counted[] {
  if (clientId !== null) return [["partner", clientId]];
  return agent === null ? [] : [["crawler", agent]];
}

/** Counts cities and records only of successful requests: invented names would fill the table. */
function subjects({ transport, operation, tool, city, record, status }: CountedRequest): Counted[] {
  const named: (readonly [Dimension, string | null])[] = [
    ["endpoint", transport === "mcp" ? null : operation],
    ["tool", tool],
  ];
  if (status !== null && status < 400) named.push(["city", city], ["record", record]);
  return named.flatMap(([dimension, value]) => (value === null ? [] : [[dimension, value] as const]));
}

function statusClass(status: number | null): string {
  const hundreds = Math.floor((status ?? 0) / 100);
  return hundreds >= 2 && hundreds <= 5 ? `${hundreds}xx` : "unclassified";
}

function instancesOf(utcDay: string, requests: readonly CountedRequest[]): NewRow<"usage_instances">[] {
  const hashes = new Set(
    requests.filter(isCountedByClient).flatMap(({ instanceHash }) => instanceHash ?? []),
  );
  return [...hashes].sort().map((instanceHash) => ({ utcDay, instanceHash }));
}

/** A refused request costs its sender nothing, and each could claim to come from another program. */
function isCountedByClient({ internal, rateLimited }: CountedRequest): boolean {
  return !internal && !rateLimited;
}
