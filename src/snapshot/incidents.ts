import type { Database } from "better-sqlite3";
import type { OperatorIncident } from "../contract/service/operator-incidents.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";
import { inserter } from "./write/inserter.ts";

/** SHA-256 (hex) of the operator's incidents; null when there is none. They are an input of the release like the ledger. */
export function incidentsHash(incidents: readonly OperatorIncident[]): string | null {
  return incidents.length === 0 ? null : sha256Hex(canonicalJson(newestFirst(incidents)));
}

/** Stores the incidents and returns their hash. */
export function writeIncidents(db: Database, incidents: readonly OperatorIncident[]): string | null {
  const insert = inserter(db, "incidents");
  for (const [at, incident] of newestFirst(incidents).entries()) insert([at + 1, canonicalJson(incident)]);
  return incidentsHash(incidents);
}

/** The order in the file makes no difference. */
function newestFirst(incidents: readonly OperatorIncident[]): OperatorIncident[] {
  const key = ({ started, title }: OperatorIncident) => `${started} ${title}`;
  return [...incidents].sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

export interface IncidentQueries {
  /** What the operator says has happened, the newest first. */
  incidents(): OperatorIncident[];
}

export function incidentQueries(db: Database): IncidentQueries {
  const stored = db.prepare<[], string>("SELECT incident FROM incidents ORDER BY seq").pluck();
  return { incidents: () => stored.all().map((text) => JSON.parse(text)) };
}
