import { StatusResponse } from "../../../src/contract/service/status.ts";
import { changeFaults } from "./changes-check.ts";
import { type Traces, tracesIn } from "./erasures.ts";
import { headFaults } from "./heads-check.ts";
import { type IdRegistry, mergedFileFaults } from "./ids-check.ts";
import { disputeFaults } from "./problem-reports.ts";
import { type Published, readEntity, readJson } from "./published.ts";
import { sampleFaults } from "./sample-reviews.ts";
import type { Told } from "./told.ts";

/** What a release is held against: the one before it, what was decided, and all that was ever published. */
export interface Held {
  readonly before: Published | undefined;
  readonly told: Told;
  readonly ids: IdRegistry;
  readonly traces: readonly Traces[];
  readonly checkpoints: readonly string[]; // of the nights before
}

/** Everything that can be told from the files of a release. */
export async function releaseFaults(now: Published, held: Held): Promise<string[]> {
  const { before, told, ids, traces, checkpoints } = held;
  return [
    ...changeFaults(before, now, told),
    ...ids.look(now, told),
    ...mergedFileFaults(now, told),
    ...told.faults((publicId) => readEntity(now.site, publicId)),
    ...sampleFaults(now.metrics, told.verdicts),
    ...disputeFaults(now, told),
    ...incidentFaults(now, told),
    ...tracesIn(now.directory, traces).map((path) => `${path}: has something of what was erased`),
    ...(await headFaults(checkpoints, now)),
  ];
}

function incidentFaults({ site }: Published, { incidents }: Told): string[] {
  const shown = StatusResponse.parse(readJson(site, "api/v1/status.json")).incidents;
  const reported = shown.filter(({ id }) => id.startsWith("incident-"));
  const said = JSON.stringify(reported.map(({ title, resolved_at }) => [title, resolved_at]));
  const meant = JSON.stringify(incidents.map(({ title, resolved }) => [title, resolved]));
  return said === meant ? [] : [`status: the incidents are ${said}, not ${meant}`];
}
