import type { OperatorIncident } from "../../contract/service/operator-incidents.ts";
import type { StatusResponse } from "../../contract/service/status.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";

type Incident = StatusResponse["incidents"][number];

/** Distinguishes them from incidents that a release detects. */
const PREFIX = "incident-";
const HASH_DIGITS = 12;

/** The operator's incidents as of `asOf` (ms). Ids stay the same when the text changes or the incident ends. */
export function operatorIncidents(told: readonly OperatorIncident[], asOf: number): Incident[] {
  return told
    .filter(({ started }) => Date.parse(started) <= asOf)
    .map(({ started, resolved, title, text }) => {
      const isOver = resolved !== null && Date.parse(resolved) <= asOf;
      return {
        id: `${PREFIX}${sha256Hex(canonicalJson({ started, title })).slice(0, HASH_DIGITS)}`,
        title,
        status: isOver ? "resolved" : "open",
        started_at: started,
        resolved_at: isOver ? resolved : null,
        message: text,
      };
    });
}

export function isOfOperator({ id }: Incident): boolean {
  return id.startsWith(PREFIX);
}

/** The inverse, for a replay. */
export function operatorIncident({ title, started_at, resolved_at, message }: Incident): OperatorIncident {
  return { started: started_at, resolved: resolved_at, title, text: message };
}
