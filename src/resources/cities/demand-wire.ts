import type { Demand } from "../../contract/fields.ts";
import { DEMAND_NOTE } from "../../contract/records/claim-boundary.ts";
import { isoTime } from "../../kernel/time.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";

/** Returns the demand for a city (slug); null without a city or when none is published. */
export function demandOf(snapshot: Pick<Snapshot, "demand">, city: string | undefined): Demand {
  const demand = city === undefined ? undefined : snapshot.demand(city);
  if (demand === undefined) return null;
  return {
    window_days: demand.windowDays,
    window_end: isoTime(demand.windowEnd),
    searches: demand.searches,
    searches_without_result: demand.searchesWithoutResult,
    alert_subscriptions: demand.alertSubscriptions,
    daily_clients: demand.dailyClients,
    note: DEMAND_NOTE,
  };
}
