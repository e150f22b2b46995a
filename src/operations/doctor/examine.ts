import type { Check, Finding, Patient } from "./check.ts";
import { mailSettings, namedFiles, realService } from "./configuration.ts";
import { keysOfLedger, permissions, stateKey } from "./keys.ts";
import { clock, ledgerFile, signedHead, stamps, unsealedRows } from "./ledger.ts";
import { diskSpace } from "./machine.ts";
import { lastNight, leftovers, releaseAge, releasePointer, snapshotVersion } from "./release.ts";
import { outbox, stateOpens } from "./state.ts";

/** From what nothing works without to what only comes late. */
export const CHECKS: readonly Check[] = [
  diskSpace,
  clock,
  ledgerFile,
  permissions,
  keysOfLedger,
  signedHead,
  unsealedRows,
  stamps,
  releasePointer,
  snapshotVersion,
  releaseAge,
  leftovers,
  lastNight,
  stateKey,
  stateOpens,
  mailSettings,
  outbox,
  realService,
  namedFiles,
];

export interface Diagnosis {
  readonly check: string;
  readonly findings: readonly Finding[];
}

export async function examine(patient: Patient): Promise<Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const check of CHECKS) diagnoses.push({ check: check.name, findings: await findings(check, patient) });
  return diagnoses;
}

/** A check that breaks off is a finding itself: the others go on. */
async function findings(check: Check, patient: Patient): Promise<readonly Finding[]> {
  try {
    return await check.find(patient);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      {
        problem: `cannot be checked: ${reason}`,
        mend: "see that this user may read everything in PRESENCE_HOME",
      },
    ];
  }
}
