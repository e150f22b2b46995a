/** Inputs of a release other than the ledger: what the snapshot stores of them, and their hashes for the release id. */
import type { Database } from "better-sqlite3";
import type { OperatorIncident } from "../../contract/service/operator-incidents.ts";
import type { OperatorTexts } from "../../contract/service/operator-texts.ts";
import type { ReportCounts } from "../../contract/service/report-counts.ts";
import { type ActivityInput, writeActivity } from "../activity.ts";
import { type DemandInput, writeDemand } from "../demand.ts";
import { writeIncidents } from "../incidents.ts";
import { writeOperatorTexts } from "../operator-texts.ts";
import { writeReportCounts } from "../report-counts.ts";
import { type SnapshotReference, writeReference } from "./reference-writer.ts";

/** The hashes (SHA-256, hex) are those of a release that is built again from its public files, which lack some inputs. */
export interface WrittenInputs {
  readonly activity?: ActivityInput | undefined;
  readonly activityHash?: string | null;
  readonly demand?: DemandInput | undefined;
  readonly demandHash?: string | null;
  readonly operatorTexts?: OperatorTexts | undefined;
  readonly operatorTextsHash?: string | null;
  readonly incidents?: readonly OperatorIncident[] | undefined;
  readonly incidentsHash?: string | null; // wins: the public files have some of the incidents
  readonly reportCounts?: ReportCounts | undefined;
  readonly reference: SnapshotReference;
  readonly referenceHash?: string; // wins: `reference` may be newer
}

export type InputHashes = ReturnType<typeof writeInputs>;

/** Stores the inputs and returns their hashes; null for an absent one. Cities and records must be written before. */
export function writeInputs(db: Database, input: WrittenInputs) {
  const reference = writeReference(db, input.reference);
  const incidents = writeIncidents(db, input.incidents ?? []);
  return {
    referenceHash: input.referenceHash ?? reference,
    activityHash: writeActivity(db, input.activity) ?? input.activityHash ?? null,
    demandHash: writeDemand(db, input.demand) ?? input.demandHash ?? null,
    operatorTextsHash: writeOperatorTexts(db, input.operatorTexts ?? {}) ?? input.operatorTextsHash ?? null,
    incidentsHash: input.incidentsHash ?? incidents,
    reportsHash: writeReportCounts(db, input.reportCounts),
  };
}
