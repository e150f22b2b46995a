import { backups } from "./backup.ts";
import type { Check, CheckContext, Finding } from "./check.ts";
import { emailSettings, namedFiles, realService } from "./configuration.ts";
import { permissions } from "./files.ts";
import {
  checkpoint,
  clock,
  heldBackBatches,
  intakeOfSources,
  keysOfLedger,
  ledgerFile,
  ledgerRows,
  namedSources,
  pendingLines,
  stateKey,
  timestamps,
  unsealedRows,
} from "./ledger.ts";
import { diskForecast, diskSpace, timers } from "./machine.ts";
import {
  heldReleases,
  lastNight,
  leftovers,
  publishedFiles,
  releaseAge,
  releasePointer,
  snapshotVersion,
} from "./release.ts";
import { separateUsers, webServer } from "./separate-users.ts";
import { outbox, stateFile, stateOpens } from "./state.ts";

/** Every check, the most essential first. */
export const CHECKS: readonly Check[] = [
  diskSpace,
  diskForecast,
  clock,
  ledgerFile,
  ledgerRows,
  permissions,
  separateUsers,
  webServer,
  keysOfLedger,
  checkpoint,
  unsealedRows,
  pendingLines,
  heldBackBatches,
  intakeOfSources,
  namedSources,
  timestamps,
  releasePointer,
  snapshotVersion,
  publishedFiles,
  releaseAge,
  heldReleases,
  leftovers,
  lastNight,
  timers,
  stateKey,
  stateFile,
  stateOpens,
  emailSettings,
  outbox,
  backups,
  realService,
  namedFiles,
];

export interface Diagnosis {
  readonly check: string;
  readonly findings: readonly Finding[];
}

export async function examine(context: CheckContext): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const check of CHECKS)
    diagnoses.push({ check: check.name, findings: await findingsOf(check, context) });
  return diagnoses;
}

/** Reports a check that fails as a finding, so that the others still run. */
export async function findingsOf(check: Check, context: CheckContext): Promise<readonly Finding[]> {
  try {
    return await check.find(context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const mend = "check that this user may read everything in PRESENCE_HOME";
    return [{ problem: `the check failed: ${reason}`, mend }];
  }
}
