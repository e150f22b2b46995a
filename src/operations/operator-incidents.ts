import { existsSync } from "node:fs";
import { type OperatorIncident, OperatorIncidents } from "../contract/service/status.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readNamedFile } from "../kernel/files/foreign-file.ts";
import { homePaths } from "../kernel/home.ts";

/**
 * The operator's incidents, from INCIDENTS_FILE or from `night/incidents.json` in PRESENCE_HOME, if it exists. Throws OperatorError for a named file that
 * does not exist, and for a file that is not a list of incidents.
 */
export function readIncidents(config: Config): OperatorIncident[] {
  const { incidentsFile } = config;
  const path = incidentsPath(config);
  if (incidentsFile === undefined && !existsSync(path)) return [];
  const text = readNamedFile(path, incidentsFile && "INCIDENTS_FILE");
  const parsed = OperatorIncidents.safeParse(parseJson(path, text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [at, field] = issue?.path ?? [];
  const where =
    at === undefined ? "" : ` incident ${Number(at) + 1}${field === undefined ? "" : `, ${String(field)}`}:`;
  throw new OperatorError(
    `${path}:${where} ${issue?.message ?? "is invalid"}; each incident has started, resolved (a time or null), title and text`,
  );
}

export function incidentsPath({ incidentsFile, home }: Config): string {
  return incidentsFile ?? homePaths(home).incidents;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${path}: is not JSON (${reason})`, { cause });
  }
}
