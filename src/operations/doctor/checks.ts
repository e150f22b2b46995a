import { basemapFile } from "./basemap.ts";
import type { Check, CheckContext, Finding } from "./check.ts";
import { reviewDesk } from "./desk.ts";
import { permissions } from "./files.ts";
import { inbox } from "./inbox.ts";
import * as release from "./releases.ts";
import * as service from "./service.ts";
import * as settings from "./settings.ts";
import { settingsFiles } from "./settings-files.ts";
import * as stores from "./stores.ts";

/** Every check by its name, the most essential first. */
export const CHECKS = [
  ["disk space", release.diskSpace],
  ["disk forecast", release.diskForecast],
  ["clock", stores.clock],
  ["ledger file", stores.ledgerFile],
  ["ledger rows", stores.ledgerRows],
  ["permissions", permissions],
  ["users of server and ledger", settings.separateUsers],
  ["front server", settings.webServer],
  ["running server", service.runningServer],
  ["public address", service.frontServer],
  ["certificate", service.certificate],
  ["keys of the ledger", stores.keysOfLedger],
  ["checkpoint", stores.checkpoint],
  ["unsealed rows", stores.unsealedRows],
  ["pending lines", stores.pendingLines],
  ["held back batches", stores.heldBackBatches],
  ["inbox", inbox],
  ["review desk", reviewDesk],
  ["intake of sources", stores.intakeOfSources],
  ["named sources", stores.namedSources],
  ["timestamps", stores.timestamps],
  ["release", release.releasePointer],
  ["snapshot version", release.snapshotVersion],
  ["published files", release.publishedFiles],
  ["age of the release", release.releaseAge],
  ["held release", release.heldReleases],
  ["leftovers of builds", release.leftovers],
  ["last night", release.lastNight],
  ["timers", release.timers],
  ["key of the state", stores.stateKey],
  ["state file", stores.stateFile],
  ["state", stores.stateOpens],
  ["email", settings.emailSettings],
  ["outbox", stores.outbox],
  ["backups", stores.backups],
  ["monitoring", settings.monitoring],
  ["contact", settings.contact],
  ["names of settings", settings.unknownNames],
  ["settings of a real service", settings.realService],
  ["files of the configuration", settings.namedFiles],
  ["map of the operator", basemapFile],
  ["modes of the configuration", settingsFiles],
] as const satisfies readonly (readonly [name: string, check: Check])[];

export type CheckName = (typeof CHECKS)[number][0];

export interface Diagnosis {
  readonly check: string;
  readonly findings: readonly Finding[];
}

export async function examine(context: CheckContext): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const [check] of CHECKS) diagnoses.push({ check, findings: await findingsOf(check, context) });
  return diagnoses;
}

/** Reports a check that fails as a finding, so that the others still run. */
export async function findingsOf(check: CheckName, context: CheckContext): Promise<readonly Finding[]> {
  try {
    const find = new Map<string, Check>(CHECKS).get(check);
    const findings: Finding[] = [];
    for await (const finding of find?.(context) ?? []) findings.push(finding);
    return findings;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const mend = "check that this user may read everything in PRESENCE_HOME";
    return [{ problem: `the check failed: ${reason}`, mend }];
  }
}
