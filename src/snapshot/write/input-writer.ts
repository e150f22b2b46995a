/** Inputs of a release other than the ledger: what the snapshot stores of them, and their hashes for the release id. */
import type { Database } from "better-sqlite3";
import { writeActivity } from "../activity.ts";
import { writeDemand } from "../demand.ts";
import { writeIncidents } from "../incidents.ts";
import { writeOperatorTexts } from "../operator-texts.ts";
import type { ReleaseSettings } from "../release-settings.ts";
import { writeReportCounts } from "../report-counts.ts";
import { type SnapshotReference, writeReference } from "./reference-writer.ts";

/** The hashes (SHA-256, hex) are those of a release that is built again from its public files, which lack some inputs. */
export interface WrittenInputs {
  readonly settings: ReleaseSettings;
  readonly activityHash?: string | null;
  readonly demandHash?: string | null;
  readonly operatorTextsHash?: string | null;
  readonly incidentsHash?: string | null; // wins: the public files have some of the incidents
  readonly reference: SnapshotReference;
  readonly referenceHash?: string; // wins: `reference` may be newer
}

export type InputHashes = ReturnType<typeof writeInputs>;

/** Stores the inputs and returns their hashes; null for an absent one. Cities and records must be written before. */
export function writeInputs(db: Database, { settings, ...input }: WrittenInputs) {
  const reference = writeReference(db, input.reference);
  const incidents = writeIncidents(db, settings.incidents);
  return {
    referenceHash: input.referenceHash ?? reference,
    activityHash: writeActivity(db, settings.activity) ?? input.activityHash ?? null,
    demandHash: writeDemand(db, settings.demand) ?? input.demandHash ?? null,
    operatorTextsHash: writeOperatorTexts(db, settings.operatorTexts) ?? input.operatorTextsHash ?? null,
    incidentsHash: input.incidentsHash ?? incidents,
    reportsHash: writeReportCounts(db, settings.reportCounts),
  };
}
