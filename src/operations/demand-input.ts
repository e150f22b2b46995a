import { DEMAND } from "../contract/limits.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import type { DemandInput } from "../snapshot/demand.ts";
import type { Usage } from "../state/usage/usage.ts";
import type { CommandContext } from "./context.ts";
import { readForRelease } from "./existing-state.ts";

/** What the release for `asOf` says of demand; undefined when no search was counted before that day. */
export function demandInput(context: CommandContext, asOf: number): Promise<DemandInput | undefined> {
  return readForRelease(context, "demand", ({ usage }) => demandBefore(usage, utcDayStart(asOf)));
}

/** The whole days before `windowEnd` in which searches were counted, thirty at most. */
export async function demandBefore(usage: Usage, windowEnd: number): Promise<DemandInput | undefined> {
  const since = await usage.searchesCountedSince();
  if (since === undefined) return undefined;
  const windowDays = Math.min(DEMAND.windowDays, Math.round((windowEnd - Date.parse(since)) / DAY_MS));
  if (windowDays <= 0) return undefined;
  const { covered } = await usage.demand(windowEnd, windowDays);
  return { windowEnd, windowDays, cities: covered.map((city) => ({ ...city })) };
}
