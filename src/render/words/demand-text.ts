import type { Demand } from "../../contract/fields.ts";
import { DEMAND } from "../../contract/limits.ts";
import { count } from "./format.ts";

/** Describes the demand for a city in one paragraph. */
export function demandText(demand: Demand): string {
  if (demand === null)
    return `No figures: fewer than ${DEMAND.minClients} daily clients searched in this city in the last ${DEMAND.windowDays} days, or searches were not counted.`;
  const { window_days, searches, searches_without_result, alert_subscriptions, daily_clients } = demand;
  const days = window_days === 1 ? "day" : `${window_days} days`;
  const clients = `${count(daily_clients, "daily client", "daily clients")}`;
  const subscriptions = count(alert_subscriptions, "new subscription", "new subscriptions");
  return `In the ${days} before this release: ${count(searches, "search", "searches")} by ${clients}, of which ${searches_without_result} found no record; ${subscriptions}.`;
}
