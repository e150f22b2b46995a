import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import type { LastIntake } from "../../ledger/matching/batches.ts";
import type { Source } from "../../ledger/sources/source-store.ts";

/** An active source of which no line was accepted for some days. */
export interface SilentSource {
  readonly id: string;
  readonly days: number; // whole ones
}

interface Registered extends Pick<Source, "id" | "state"> {
  readonly registeredAt: number; // ms
}

/** Sources without a line for `days` UTC days or more, the longest silence first. Nothing is known of the time before batches were kept. */
export function silentSources(
  sources: readonly Registered[],
  { since, days: lastDays }: LastIntake,
  { now, days }: { readonly now: number; readonly days: number },
): SilentSource[] {
  if (since === null) return [];
  return sources
    .filter(({ state }) => state === "active")
    .map(({ id, registeredAt }) => {
      const last = lastDays.get(id) ?? Math.max(registeredAt, since);
      return { id, days: (utcDayStart(now) - utcDayStart(last)) / DAY_MS };
    })
    .filter((source) => source.days >= days)
    .sort((a, b) => b.days - a.days || (a.id < b.id ? -1 : 1));
}
