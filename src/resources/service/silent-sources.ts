import { SILENT_SOURCE_DAYS } from "../../contract/limits.ts";
import type { Incident } from "../../contract/service/status.ts";
import { DAY_MS, isoDate, isoTime, utcDayStart } from "../../kernel/time.ts";
import type { SourceEntry } from "../../snapshot/rows.ts";

/**
 * Collective sources without an observation in the days before `asOf` (ms), as incidents. Individual sources are left out: their
 * silence would tell of a few observers.
 */
export function silentSources(sources: readonly SourceEntry[], asOf: number): Incident[] {
  return sources.flatMap(({ id, vetting, state, lastIntake }) => {
    if (vetting !== "collective" || state !== "active" || lastIntake === null) return [];
    const startedAt = lastIntake + SILENT_SOURCE_DAYS * DAY_MS;
    if (utcDayStart(asOf) < startedAt) return [];
    return [
      {
        id: `no-intake-${id}-${isoDate(startedAt)}`,
        title: `No intake from source ${id}`,
        status: "open",
        started_at: isoTime(startedAt),
        resolved_at: null,
        message: `No observation of source ${id} has been accepted since ${isoDate(lastIntake)}.`,
      },
    ];
  });
}
