import type { Demand } from "../../contract/fields.ts";
import { DEMAND } from "../../contract/limits.ts";
import { count } from "./format.ts";

/** The demand for a city in one paragraph for people. */
export function demandText(demand: Demand): string {
  if (demand === null)
    return `No figures: fewer than ${DEMAND.minClients} clients, counted by day, searched in this city in the last ${DEMAND.windowDays} days, or searches were not counted.`;
  const { window_days, searches, searches_without_result, alert_subscriptions, daily_clients } = demand;
  const days = window_days === 1 ? "day" : `${window_days} days`;
  const clients = `${count(daily_clients, "client", "clients")} counted by day`;
  const subscriptions = count(alert_subscriptions, "alert subscription", "alert subscriptions");
  return `In the ${days} before this release: ${count(searches, "search", "searches")} by ${clients}, of which ${searches_without_result} found no record; ${subscriptions} confirmed.`;
}
