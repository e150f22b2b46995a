import { sql } from "kysely";
import { DAY_MS } from "../../kernel/time.ts";
import type { Store } from "../store.ts";

/** A partner's own requests, from the single ones that are kept (interface 2.13). */
export type PartnerUsage = Awaited<ReturnType<typeof partnerUsage>>;

const RECENT = 20;
const count = sql<number>`count(*)`.as("requests");

export async function partnerUsage({ db, clock }: Store, clientId: string) {
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
