import { z } from "zod";
import { Timestamp } from "../fields.ts";

export const MAX_INCIDENTS = 50;
export const MAX_UPDATES = 50;
const TITLE_LENGTH = 120;
const TEXT_LENGTH = 2000;

export const IncidentTitle = z.string().trim().min(1).max(TITLE_LENGTH);
export const IncidentText = z.string().trim().min(1).max(TEXT_LENGTH);

/** What was said later of an incident, with the time at which it was said. */
const IncidentUpdate = z.strictObject({ at: Timestamp, text: IncidentText });

/** One incident in the operator's incidents file: plain text, times in UTC. */
export const OperatorIncident = z
  .strictObject({
    started: Timestamp,
    resolved: Timestamp.nullable().default(null),
    title: IncidentTitle,
    text: IncidentText,
    updates: z.array(IncidentUpdate).min(1).max(MAX_UPDATES).exactOptional(), // oldest first
    late_release: z.iso.date().exactOptional(), // due date of the release that was late; written by the night
  })
  .refine(({ started, resolved }) => resolved === null || Date.parse(resolved) >= Date.parse(started), {
    path: ["resolved"],
    error: "is before `started`",
  })
  .refine(({ started, updates = [] }) => updates.every(({ at }) => Date.parse(at) >= Date.parse(started)), {
    path: ["updates"],
    error: "has a time before `started`",
  });
export type OperatorIncident = z.infer<typeof OperatorIncident>;

/** Contents of the incidents file. */
export const OperatorIncidents = z
  .array(OperatorIncident)
  .max(MAX_INCIDENTS)
  .refine((all) => new Set(all.map(({ started, title }) => `${started} ${title}`)).size === all.length, {
    error: "two incidents have the same `started` and `title`",
  });

/**
 * The incidents as they were known at `now` (ms): those that had begun, with the end and the updates of that time. A late release
 * that is still open is left out, because the status tells it by the clock.
 */
export function incidentsKnownAt(all: readonly OperatorIncident[], now: number): OperatorIncident[] {
  const isPast = (time: string) => Date.parse(time) <= now;
  return all
    .filter(({ started }) => isPast(started))
    .flatMap(({ updates = [], ...incident }) => {
      const resolved = incident.resolved !== null && isPast(incident.resolved) ? incident.resolved : null;
      if (incident.late_release !== undefined && resolved === null) return [];
      const told = updates.filter(({ at }) => isPast(at));
      return [{ ...incident, resolved, ...(told.length > 0 && { updates: told }) }];
    });
}
