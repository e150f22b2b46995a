import type { Database } from "better-sqlite3";
import { OperatorIncident } from "../contract/service/status.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { checkedJson, inserter, integer, selection, table } from "../kernel/table.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";

export const incidents = table("incidents", {
  public: { seq: integer().primaryKey(), incident: checkedJson(OperatorIncident) },
});

/** SHA-256 (hex) of the operator's incidents; null without any. They are an input of the release like the ledger. */
export function incidentsHash(incidents: readonly OperatorIncident[]): string | null {
  return incidents.length === 0 ? null : sha256Hex(canonicalJson(newestFirst(incidents)));
}

/** Stores the incidents and returns their hash. */
export function writeIncidents(db: Database, all: readonly OperatorIncident[]): string | null {
  const insert = inserter(db, incidents);
  for (const [at, incident] of newestFirst(all).entries()) insert({ seq: at + 1, incident });
  return incidentsHash(all);
}

/** A defined order, so that the order in the operator's file does not matter. */
function newestFirst(incidents: readonly OperatorIncident[]): OperatorIncident[] {
  const key = ({ started, title }: OperatorIncident) => `${started} ${title}`;
  return [...incidents].sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

export function incidentQueries(db: Database) {
  const stored = selection(incidents.columns).prepare(db, "FROM incidents ORDER BY seq");
  /** The operator's incidents, newest first. */
  return { incidents: () => stored.all().map(({ incident }) => incident) };
}
