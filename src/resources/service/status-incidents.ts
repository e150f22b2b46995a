import type { OperatorIncident } from "../../contract/service/operator-incidents.ts";
import type { Incident } from "../../contract/service/status.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";

/** Distinguishes them from incidents that a release detects. */
const PREFIX = "incident-";
export const LATE_PREFIX = "late-release-";
const HASH_DIGITS = 12;

/** The id of the incident of a late release; `due`: the date on which it was due. */
export function lateReleaseId(due: string): string {
  return LATE_PREFIX + due;
}

/** The incidents that the release was given. Ids stay the same when the text changes or the incident ends. */
export function operatorIncidents(told: readonly OperatorIncident[]): Incident[] {
  return told.map((incident) => {
    const { started, resolved, title, text, updates } = incident;
    return {
      id: idOf(incident),
      title,
      status: resolved === null ? "open" : "resolved",
      started_at: started,
      resolved_at: resolved,
      message: text,
      ...(updates && { updates: updates.map((update) => ({ at: update.at, message: update.text })) }),
    };
  });
}

/** The id of an incident on every surface. */
export function idOf({ started, title, late_release }: OperatorIncident): string {
  if (late_release !== undefined) return lateReleaseId(late_release);
  return `${PREFIX}${sha256Hex(canonicalJson({ started, title })).slice(0, HASH_DIGITS)}`;
}

/** Whether the release was given the incident: those that it detects itself are open. */
export function isGiven({ id, resolved_at }: Incident): boolean {
  return id.startsWith(PREFIX) || (id.startsWith(LATE_PREFIX) && resolved_at !== null);
}

/** The inverse, for a replay. */
export function operatorIncident(incident: Incident): OperatorIncident {
  const { id, title, started_at, resolved_at, message, updates } = incident;
  return {
    started: started_at,
    resolved: resolved_at,
    title,
    text: message,
    ...(updates && { updates: updates.map((update) => ({ at: update.at, text: update.message })) }),
    ...(id.startsWith(LATE_PREFIX) && { late_release: id.slice(LATE_PREFIX.length) }),
  };
}
