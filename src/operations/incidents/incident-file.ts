import { statSync } from "node:fs";
import { type OperatorIncident, OperatorIncidents } from "../../contract/service/status.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { replaceFile } from "../../kernel/files/durable-file.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { incidentsPath, readIncidents } from "../operator-texts.ts";
import type { Incidents } from "./incident-changes.ts";

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
  const lock = acquireLock(`${homeOf(context).night}/incidents.lock`, "changing the incidents", WAIT_MS);
  try {
    const before = readIncidents(context.config);
    const after = checked(change(before));
    if (JSON.stringify(after) !== JSON.stringify(before)) write(incidentsPath(context.config), after);
    return after;
  } finally {
    lock.release();
  }
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
