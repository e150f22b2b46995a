/**
 * The operator's list of incidents: what the commands make of it, the incident of a late release, and how a release shows it. Times come from
 * the clock, except those that the operator states about the past.
 */

import { lstatSync, statSync } from "node:fs";
import {
  incidentsKnownAt,
  MAX_INCIDENTS,
  MAX_UPDATES,
  type OperatorIncident,
  OperatorIncidents,
} from "../contract/service/status.ts";
import { OperatorError } from "../kernel/errors.ts";
import { replaceFile } from "../kernel/files/durable-file.ts";
import { type ReleasePromise, releaseLateness } from "../kernel/release-lateness.ts";
import { isoDate, isoTime } from "../kernel/time.ts";
import { acquireLock } from "../ledger/database/lock.ts";
import { idOf, releasePromise } from "../resources/service/system-status.ts";
import { type CommandContext, homeOf, publishedRelease } from "./context.ts";
import { failureText } from "./failure-text.ts";
import { incidentsPath, readIncidents } from "./operator-texts.ts";
import { mendHeld, type PatchedRelease, publishPatch } from "./patch.ts";
import { type PurgeReport, purgeCaches } from "./purge.ts";

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
    const last = text === undefined ? incident : withUpdate(incident, text, now);
    return { ...last, resolved: isoTime(end) };
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

const WAIT_MS = 30_000;
const MODE = 0o644;

/**
 * Replaces the operator's file with what `change` returns, durably and one process at a time; a file that stays equal is not touched. Throws
 * OperatorError for a file or a result that is no list of incidents.
 */
export function changeIncidents(
  context: CommandContext,
  change: (incidents: Incidents) => Incidents,
): OperatorIncident[] {
  using _lock = acquireLock(`${homeOf(context).night}/incidents.lock`, "changing the incidents", WAIT_MS);
  const before = readIncidents(context.config);
  const after = checked(change(before));
  if (JSON.stringify(after) !== JSON.stringify(before)) write(incidentsPath(context.config), after);
  return after;
}

function checked(incidents: Incidents): OperatorIncident[] {
  const { data, error } = OperatorIncidents.safeParse(incidents);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new OperatorError(`${issue?.path.at(-1)?.toString() ?? "incidents"}: ${issue?.message}`);
}

/** The file keeps its mode: it may be the operator's own, outside the home. */
function write(path: string, incidents: Incidents): void {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? MODE) & 0o777;
  replaceFile(path, `${JSON.stringify(incidents, null, 2)}\n`, mode);
}

const TITLE = "The release was late";

/** Writes the incident into the file if the current release says that the next one is late. A file that cannot be written holds up no release. */
export function openLateRelease(context: CommandContext): void {
  try {
    noteLateRelease(context);
  } catch (error) {
    context.stderr.write(`incidents  the late release is not noted: ${failureText(error)}\n`);
  }
}

function noteLateRelease(context: CommandContext): void {
  const promise = currentPromise(context);
  const { lateSince } = releaseLateness(promise, context.clock());
  if (promise === null || lateSince === undefined) return;
  const due = isoDate(promise.nextReleaseDue);
  const text = `The release that was due on ${due} has not been published. All data is as of the release before it.`;
  const incident = { started: isoTime(lateSince), resolved: null, title: TITLE, text, late_release: due };
  changeIncidents(context, (all) =>
    all.some(({ late_release }) => late_release === due) ? all : withRoom([...all, incident]),
  );
}

/** Ends each open incident whose release is published, at the time of its publication. Returns how many. */
export function closeLateReleases(context: CommandContext): number {
  const promise = currentPromise(context);
  if (promise === null) return 0;
  const publishedAt = Math.floor(lstatSync(homeOf(context).current).mtimeMs / 1000) * 1000;
  const isOver = (incident: Incidents[number]) =>
    incident.resolved === null &&
    incident.late_release !== undefined &&
    incident.late_release < isoDate(promise.nextReleaseDue);
  let ended = 0;
  changeIncidents(context, (all) => {
    ended = all.filter(isOver).length;
    return all.map((incident) => (isOver(incident) ? endedAt(incident, publishedAt) : incident));
  });
  return ended;
}

function endedAt(incident: Incidents[number], publishedAt: number): Incidents[number] {
  const resolved = isoTime(Math.max(publishedAt, Date.parse(incident.started)));
  return {
    ...incident,
    resolved,
    text: `The release that was due on ${incident.late_release} was published at ${resolved}.`,
  };
}

function currentPromise(context: CommandContext): ReleasePromise | null {
  const release = publishedRelease(homeOf(context));
  return release === undefined ? null : releasePromise(release);
}

export interface PublishedIncidents {
  readonly patch: PatchedRelease | undefined; // undefined: nothing is published, or the release shows them already
  readonly purge: PurgeReport | undefined;
}

/** Publishes the incidents of the operator's file by a patch release, and tells caches. Throws OperatorError as `publishPatch` does. */
export async function publishIncidents(context: CommandContext): Promise<PublishedIncidents> {
  const incidents = incidentsKnownAt(readIncidents(context.config), context.clock());
  const patch = await publishPatch(context, incidents);
  await mendHeld(context, incidents); // so that it still follows the published release
  return { patch, purge: patch && (await purgeCaches(context)) };
}

/** After a release: ends the incidents of late ones, and publishes what was reported while it was built. */
export async function settleIncidents(
  context: CommandContext,
): Promise<PublishedIncidents & { readonly ended: number }> {
  return { ended: closeLateReleases(context), ...(await publishIncidents(context)) };
}
