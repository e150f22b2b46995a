/** What the commands make of the list of incidents. Times come from the clock, except those that the operator states about the past. */
import { MAX_INCIDENTS, MAX_UPDATES, type OperatorIncident } from "../../contract/service/status.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import { idOf } from "../../resources/service/system-status.ts";

export type Incidents = readonly OperatorIncident[];

export interface NewIncident {
  readonly title: string;
  readonly text: string;
  readonly started: number | undefined; // ms; undefined: now
}

/** Adds an open incident. Throws OperatorError for a start in the future, or for one that is known already. */
export function opened(
  all: Incidents,
  { title, text, started = Infinity }: NewIncident,
  now: number,
): Incidents {
  const at = started === Infinity ? now : notAfter(started, now, "--started");
  const incident = { started: isoTime(at), resolved: null, title, text };
  const id = idOf(incident);
  if (all.some((known) => idOf(known) === id))
    throw new OperatorError(
      `an incident "${title}" that started at ${incident.started} exists: \`presence incident update ${id}\` adds to it`,
    );
  return withRoom([...all, incident]);
}

/** Adds a text to an incident, open or resolved. */
export function updated(all: Incidents, id: string, text: string, now: number): Incidents {
  return replaced(all, id, (incident) => withUpdate(incident, text, now));
}

export interface End {
  readonly text: string | undefined;
  readonly resolved: number | undefined; // ms; undefined: now
}

/** Ends an open incident. Throws OperatorError for one that has ended, or for an end in the future or before the start. */
export function closed(all: Incidents, id: string, { text, resolved }: End, now: number): Incidents {
  return replaced(all, id, (incident) => {
    if (incident.resolved !== null)
      throw new OperatorError(
        `${id} was resolved at ${incident.resolved}: \`presence incident update ${id}\` adds to it`,
      );
    const end = resolved === undefined ? now : notAfter(resolved, now, "--resolved");
    if (end < Date.parse(incident.started))
      throw new OperatorError(
        `${id} started at ${incident.started}, after ${isoTime(end)}: give a later --resolved`,
      );
    const told = text === undefined ? incident : withUpdate(incident, text, now);
    return { ...told, resolved: isoTime(end) };
  });
}

function withUpdate(incident: OperatorIncident, text: string, now: number): OperatorIncident {
  const { updates = [], started } = incident;
  if (now < Date.parse(started))
    throw new OperatorError(
      `${idOf(incident)} starts at ${started}, which is in the future: correct the file`,
    );
  if (updates.length === MAX_UPDATES)
    throw new OperatorError(`${idOf(incident)} has ${MAX_UPDATES} updates, the maximum: open a new incident`);
  return { ...incident, updates: [...updates, { at: isoTime(now), text }] };
}

function replaced(
  all: Incidents,
  id: string,
  change: (incident: OperatorIncident) => OperatorIncident,
): Incidents {
  if (!all.some((incident) => idOf(incident) === id))
    throw new OperatorError(`no incident ${id}: \`presence incident list\` has their ids`);
  return all.map((incident) => (idOf(incident) === id ? change(incident) : incident));
}

function notAfter(at: number, now: number, option: string): number {
  if (at <= now) return at;
  throw new OperatorError(`${option} ${isoTime(at)} is in the future: it is ${isoTime(now)}`);
}

/** Drops the oldest resolved incidents beyond the maximum. Throws OperatorError where too many are open. */
export function withRoom(all: Incidents): Incidents {
  const over = all.length - MAX_INCIDENTS;
  if (over <= 0) return all;
  const resolved = all
    .filter(({ resolved }) => resolved !== null)
    .sort((a, b) => (a.started < b.started ? -1 : 1));
  if (resolved.length < over)
    throw new OperatorError(`${MAX_INCIDENTS} incidents are open, the maximum: close one first`);
  const dropped = new Set(resolved.slice(0, over));
  return all.filter((incident) => !dropped.has(incident));
}
