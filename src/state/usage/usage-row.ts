import type { ClientClass, Transport } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { storedText } from "../store.ts";
import type { Row } from "../tables.ts";

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
