/** The incident of a late release: the night opens it before it builds, and ends it once the release is published. */
import { lstatSync } from "node:fs";
import { currentRelease } from "../../build/stages/publish.ts";
import { releasePaths } from "../../kernel/home.ts";
import { type ReleasePromise, releaseLateness } from "../../kernel/release-lateness.ts";
import { isoDate, isoTime } from "../../kernel/time.ts";
import { releasePromise } from "../../resources/service/system-status.ts";
import { isReadable, openSnapshot } from "../../snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { failureText } from "../failure-text.ts";
import { type Incidents, withRoom } from "./incident-changes.ts";
import { changeIncidents } from "./incident-file.ts";

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
  const directory = currentRelease(homeOf(context));
  if (directory === undefined) return null;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return null; // made by another version of the program
  const snapshot = openSnapshot(path);
  try {
    return releasePromise(snapshot.release());
  } finally {
    snapshot.close();
  }
}
