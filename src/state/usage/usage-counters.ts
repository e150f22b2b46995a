import type { ClientClass, Transport } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { isoDate, utcDayStart } from "../../kernel/time.ts";
import { insertMany, SKIP_KNOWN, type Store, storedText } from "../store.ts";
import { MAX_DAILY_CLIENTS, type Row } from "../tables.ts";

/** A search in a city of the service (slug), or in one of the catalogue that the service does not cover (GeoNames id). Nothing else of it is kept. */
export interface PlaceSearch {
  readonly kind: "covered" | "outside";
  readonly place: string;
  readonly foundNothing: boolean;
}

/** An answered request, or equal ones of one UTC day. */
export interface RequestRecord {
  readonly at: number; // of the last one
  readonly times: number; // 1 for the request of a partner, which is stored
  readonly transport: Transport;
  readonly clientClass: ClientClass;
  readonly agent: string | null; // name of a known crawler
  readonly status: number | null; // null: the client was gone before the answer
  readonly operation: string; // from a closed list, never the path as it came
  readonly tool: string | null; // of MCP
  readonly city: string | null; // slug of a city of the service
  /** Of a search that names a city: counted, and not stored with the request. */
  readonly search: PlaceSearch | null;
  readonly record: string | null; // public id
  readonly latencyMs: number | null;
  readonly clientId: string | null; // of a partner
  /** Distinguishes clients within a day, such as address and user agent. Hashed with the day's salt, never stored. */
  readonly client: string | null;
  readonly internal: boolean;
  readonly timedOut: boolean;
  readonly schemaFailure: boolean;
  readonly rateLimited: boolean;
}

export type UsageRow = Omit<Row<"usage_requests">, "id">;

const MAX_TEXT = 200;
const HASH_DIGITS = 32;

export function usageRow(request: RequestRecord, salt: string, segment: string | null): UsageRow {
  return {
    requested_at: request.at,
    transport: request.transport,
    client_class: request.clientClass,
    agent: optionalText(request.agent),
    status: request.status,
    operation: storedText(request.operation, MAX_TEXT),
    tool: optionalText(request.tool),
    city: optionalText(request.city),
    record: optionalText(request.record),
    latency_ms: request.latencyMs === null ? null : Math.round(request.latencyMs),
    client_id: request.clientId,
    instance_hash: request.client === null ? null : instanceHash(salt, request.client),
    internal: flag(request.internal),
    timed_out: flag(request.timedOut),
    schema_failure: flag(request.schemaFailure),
    rate_limited: flag(request.rateLimited),
    segment,
  };
}

function instanceHash(salt: string, client: string): string {
  return sha256Hex(salt + client).slice(0, HASH_DIGITS);
}

function optionalText(text: string | null): string | null {
  return text === null ? null : storedText(text, MAX_TEXT);
}

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
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

/** A request as it is stored, with the counters that it adds to. */
export interface CountedRequest {
  readonly row: UsageRow;
  readonly times: number;
  readonly search: PlaceSearch | null;
}

type Counter = Row<"usage_counters">;

const ADD = `on conflict (utc_day, dimension, value) do update set
  requests = usage_counters.requests + excluded.requests,
  latest_at = case when excluded.latest_at > usage_counters.latest_at then excluded.latest_at else usage_counters.latest_at end`;

/**
 * Adds the rows to the counters. The caller inserts the rows in the same transaction. Days and counters go in one order always: two
 * processes that add to the same ones at once would else wait for each other.
 */
export async function addToCounters(store: Store, requests: readonly CountedRequest[]): Promise<void> {
  const days = Map.groupBy(requests, ({ row }) => utcDayStart(row.requested_at));
  for (const [start, ofDay] of [...days].sort(([one], [other]) => one - other)) {
    const day = isoDate(start);
    const hasRoom = (await clientsOf(store, day)) < MAX_DAILY_CLIENTS;
    const clients = hasRoom ? instancesOf(day, ofDay) : [];
    const added = await insertMany(store, "usage_instances", clients, SKIP_KNOWN);
    const instances: Counter = {
      utc_day: day,
      dimension: "instance",
      value: "",
      requests: added,
      latest_at: 0,
    };
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
  utc_day: string,
  requests: readonly CountedRequest[],
): Promise<Counter[]> {
  const places = Map.groupBy(
    requests.filter(isSearch),
    ({ search }) => `${CLIENTS[search.kind]} ${search.place}`,
  );
  const counters: Counter[] = [];
  for (const [key, ofPlace] of [...places].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [dimension = "", value = ""] = key.split(" ");
    const hashes = new Set(ofPlace.flatMap(({ row }) => row.instance_hash ?? []));
    const clients = [...hashes].sort().map((instance_hash) => ({ utc_day, place: key, instance_hash }));
    const added = await insertMany(store, "usage_search_clients", clients, SKIP_KNOWN);
    if (added > 0) counters.push({ utc_day, dimension, value, requests: added, latest_at: 0 });
  }
  return counters;
}

const CLIENTS = { covered: "search_client", outside: "outside_client" } as const;

function isSearch(request: CountedRequest): request is CountedRequest & { search: PlaceSearch } {
  return request.search !== null && request.row.internal === 0 && request.row.rate_limited === 0;
}

function countersOf(utc_day: string, requests: readonly CountedRequest[]): Counter[] {
  const counters = new Map<string, Counter>();
  for (const { row, times, search } of requests) {
    for (const [dimension, value] of dimensionsOf(row, search)) {
      const key = `${dimension} ${value}`;
      const counter = counters.get(key);
      if (counter === undefined) {
        counters.set(key, { utc_day, dimension, value, requests: times, latest_at: row.requested_at });
        continue;
      }
      counter.requests += times;
      counter.latest_at = Math.max(counter.latest_at, row.requested_at);
    }
  }
  return [...counters.keys()].sort().flatMap((key) => counters.get(key) ?? []);
}

function dimensionsOf(row: UsageRow, search: PlaceSearch | null): readonly (readonly [Dimension, string])[] {
  if (row.internal === 1) return [["internal", ""]];
  return [
    ["all", ""],
    ["transport", row.transport],
    ["class", row.client_class],
    ["status", statusClass(row.status)],
    ...flagsOf(row),
    ...attribution(row),
    ...subjects(row),
    ["counted", ""],
    ...searchDimensions(search),
  ];
}

function searchDimensions(search: PlaceSearch | null): (readonly [Dimension, string])[] {
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

function flagsOf(row: UsageRow): (readonly [Dimension, string])[] {
  const flags = ["timed_out", "schema_failure", "rate_limited"] as const;
  return flags.filter((name) => row[name] === 1).map((name) => ["flag", name]);
}

/** A key says more than a name that anyone can give himself. */
function attribution({ client_id, agent }: UsageRow): (readonly [Dimension, string])[] {
  if (client_id !== null) return [["partner", client_id]];
  return agent === null ? [] : [["crawler", agent]];
}

/** Counts cities and records only of successful requests: invented names would fill the table. */
function subjects({
  transport,
  operation,
  tool,
  city,
  record,
  status,
}: UsageRow): (readonly [Dimension, string])[] {
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

function instancesOf(utc_day: string, requests: readonly CountedRequest[]): Row<"usage_instances">[] {
  // A refused request costs its sender nothing, and each could claim to come from another program.
  const strangers = requests.filter(({ row }) => row.internal === 0 && row.rate_limited === 0);
  const hashes = new Set(strangers.flatMap(({ row }) => row.instance_hash ?? []));
  return [...hashes].sort().map((instance_hash) => ({ utc_day, instance_hash }));
}
